// Files of orders: the shape of a real export, the same bytes for the same arguments.

import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

export const HEADER = 'id,email,city,amount,level,created_at,note';

const CITIES = ['Osaka', 'Lima', 'Oslo', 'Quito', 'Perth', 'Accra', 'Turin', 'Leeds'];

/** A generator of numbers in [0, 1) that looks random and always gives the same (mulberry32). */
function dice(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const two = (n) => String(n).padStart(2, '0');

function row(id, random) {
  const below = (n) => Math.floor(random() * n);
  const city = CITIES[below(8)];
  const amount = (random() * 1000).toFixed(2);
  const level = below(10);
  const day = `2026-${two(1 + below(12))}-${two(1 + below(28))}`;
  const time = `${two(below(24))}:${two(below(60))}:00`;
  const note = Math.floor(random() * 2 ** 50);
  return `${id},user${id}@example.com,${city},${amount},${level},${day} ${time},"note ${note}, x"\n`;
}

/** Writes `rows` orders with a header to `path`. */
export async function writeOrders(path, rows) {
  const random = dice(7);
  const file = createWriteStream(path);
  file.write(`${HEADER}\n`);
  let block = '';
  for (let id = 1; id <= rows; id += 1) {
    block += row(id, random);
    if (block.length > 1 << 18) {
      if (!file.write(block)) await once(file, 'drain');
      block = '';
    }
  }
  file.end(block);
  await once(file, 'close');
}

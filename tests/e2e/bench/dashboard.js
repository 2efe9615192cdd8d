// Measures the dashboard in Chromium: the first load, a filtered page of a long history, and what a
// run's page holds after an hour of updates.
// Needs a service of its own; `cargo xtask bench dashboard` starts it.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Api } from '../lib/api.js';
import { launch } from '../lib/browser.js';
import { hourOfUpdates } from '../lib/hour.js';
import { writeOrders } from '../lib/orders.js';
import { Service } from '../lib/service.js';

const RUNS = 10_000;
const TIMES = 9;

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

/** Bytes over the wire and milliseconds until the page can be used, with nothing cached. */
async function firstLoad(browser, service) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  const names = new Map();
  session.on('Network.responseReceived', (e) => names.set(e.requestId, new URL(e.response.url).pathname));
  session.on('Network.loadingFinished', (e) => {
    if (!names.get(e.requestId)?.startsWith('/api/')) bytes += e.encodedDataLength;
  });
  const begun = performance.now();
  await page.goto(service.url);
  await page.getByTestId('choose-file').waitFor();
  const ms = performance.now() - begun;
  await page.waitForLoadState('networkidle');
  await context.close();
  return { bytes, ms };
}

/** Milliseconds from picking a filter until its rows are painted. */
async function filteredPage(page) {
  const paint = (value) => page.evaluate(async (wanted) => {
    const select = document.querySelector('[data-testid=filter-engine]');
    const rows = () => [...document.querySelectorAll('[data-testid=history-row]')];
    const shown = () => rows().map((row) => row.dataset.run).join();
    // No run has two engines, so that every row is another one.
    const before = shown();
    const begun = performance.now();
    select.value = wanted;
    select.dispatchEvent(new Event('change', { bubbles: true }));
    while (shown() === before || !shown()) {
      if (performance.now() - begun > 10_000) throw new Error(`no rows of ${wanted}`);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begun;
  }, value);
  const times = [];
  for (let i = 0; i < TIMES; i += 1) {
    times.push(await paint(['InnoDB', 'Aria', 'RocksDB'][i % 3]));
  }
  return times;
}

const service = await Service.start('bench');
const browser = await launch();
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
try {
  const orders = join(folder, 'orders.csv');
  await writeOrders(orders, 5000);
  const run = await new Api(service).run(orders, 'orders');
  const seeded = spawnSync(process.env.PLIMSOLL_SEED, [join(service.data, 'control.db'), String(RUNS)], { stdio: 'inherit' });
  if (seeded.status !== 0) throw new Error('the history could not be filled');

  const loads = [];
  for (let i = 0; i < 5; i += 1) loads.push(await firstLoad(browser, service));
  const kilobytes = (loads[0].bytes / 1024).toFixed(0);
  console.log(`first load: ${kilobytes} KB, usable after ${median(loads.map((l) => l.ms)).toFixed(0)} ms (median of 5)`);

  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(service.url);
  await page.goto(`${service.origin}/runs`);
  await page.getByTestId('history-table').waitFor();
  await page.getByTestId('trend-chart').waitFor();
  // The filters know their choices a moment later than the table its rows.
  await page.locator('[data-testid=filter-engine] option[value=RocksDB]').waitFor({ state: 'attached' });
  const times = await filteredPage(page);
  const all = times.map((ms) => ms.toFixed(0)).join(', ');
  console.log(`a filtered page of ${RUNS} runs: ${median(times).toFixed(0)} ms (median of ${all})`);

  const held = await hourOfUpdates(await browser.newPage(), service, run);
  const sizes = ['heap', 'program'].map((part) => {
    const [before, after] = held.map((h) => (h[part] / 1e6).toFixed(2));
    return `${part} ${before} MB before, ${after} MB after`;
  });
  const nodes = held.map((h) => h.nodes).join(' and ');
  console.log(`an hour of 3,600 updates on a run's page: ${sizes.join('; ')}; ${nodes} elements`);
} finally {
  await browser.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

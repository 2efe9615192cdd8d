// An hour of a live run's updates, at 60 a minute, told to its page as fast as it draws them.

import { memory, watchMemory } from './memory.js';

/** Shows `run` as if it went on, and tells 600 updates and then an hour of them: what the page
 * holds before that hour and after it. */
export async function hourOfUpdates(page, service, run) {
  await watchMemory(page);
  await page.addInitScript(fakeStream);
  // The first address brings the session.
  await page.goto(service.url);
  await page.getByTestId('drop-zone').waitFor();
  const running = { ...run, status: 'running', steps: [], curve: [], ended_at: null };
  await page.route(`**/api/v1/runs/${run.run_id}`, (route) => route.fulfill({ json: running }));
  await page.goto(`${service.origin}/runs/${run.run_id}`);
  await page.getByTestId('cancel-button').waitFor();
  const tell = (from, to) => page.evaluate(([a, b]) => globalThis.tellProgress(a, b), [from, to]);
  await tell(0, 600);
  const before = await memory(page);
  await tell(600, 4200);
  return [before, await memory(page)];
}

/** In the page: an EventSource that tells what the test wants, as if 60 a minute. */
function fakeStream() {
  const open = [];
  globalThis.EventSource = class extends EventTarget {
    constructor() {
      super();
      open.push(this);
    }

    close() {}
  };
  const progress = (second) => ({
    status: 'running',
    step: 'load',
    steps: [{ step: 'load', ms: second * 1000, rows: second * 9000, bytes: second * 800000, done: false }],
    rows_read: second * 9000,
    rows_loaded: second * 9000,
    rows_rejected: 0,
    rows_skipped: 0,
    step_bytes: second * 800000,
    step_bytes_total: 4200 * 800000,
    rows_per_sec: 9000 + (second % 17) * 200,
    bytes_per_sec: 800000,
    remaining_ms: [(4200 - second) * 900, (4200 - second) * 1200],
    retries: 0,
    elapsed_ms: second * 1000,
    workers: [
      { rows: second * 4000, rows_per_sec: 4000 + (second % 5) * 100, bytes_per_sec: 400000 },
      { rows: second * 5000, rows_per_sec: 5000, bytes_per_sec: 400000 },
    ],
  });
  globalThis.tellProgress = async (from, to) => {
    for (let second = from; second < to; second += 1) {
      const data = JSON.stringify(progress(second));
      for (const stream of open) stream.dispatchEvent(new MessageEvent('progress', { data }));
      // Each is drawn before the next.
      if (second % 20 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  };
}

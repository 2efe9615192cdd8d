// What people do when a file does not fit at once, and how every page looks.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { picture } from '../lib/artifacts.js';
import { findings } from '../lib/axe.js';
import { launch, withPage } from '../lib/browser.js';
import { HEADER, writeOrders } from '../lib/orders.js';
import { Service } from '../lib/service.js';
import { ImportPage } from '../pages/import-page.js';
import { RunsPage } from '../pages/runs-page.js';
import { until } from '../pages/until.js';

const ROWS = 2000;

let service;
let browser;
let folder;
const file = (name) => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-flows-'));
  await writeOrders(file('orders.csv'), ROWS);
  const order = (id, amount, more = '') =>
    `${id},u${id}@example.com,Oslo,${amount},3,2026-01-01 00:00:00,n${more}\n`;
  const ids = [9001, 9002, 9003, 9004];
  await writeFile(file('extra.csv'), `${HEADER},extra\n${ids.map((i) => order(i, '1.50', ',x')).join('')}`);
  const amounts = ['1.50', '1.50', 'abc', '1.50'];
  const bad = amounts.map((amount, i) => order(9101 + i, amount)).join('');
  await writeFile(file('bad.csv'), `${HEADER}\n${bad}`);
  service = await Service.start('flows');
  browser = await launch();
  await withPage(browser, 'flows-table', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.choose(file('orders.csv'));
    await imports.intoNewTable('stock');
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
  });
});

after(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const count = (where = '1') =>
  service.database.value(`SELECT COUNT(*) FROM sandbox.stock WHERE ${where}`).then(Number);

test('a value that does not fit is named by the check, stops the run, and is put aside on request', async () => {
  await withPage(browser, 'bad', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.choose(file('bad.csv'));
    await imports.uploaded();
    await imports.intoTable('stock');
    await imports.planned();
    const found = await imports.check();
    assert.match(found, /1 of 4 rows/);
    assert.match(found, /row 3 · line 4 · column amount/);
    await picture(page, 'flows-1-checked');

    await imports.start();
    assert.equal(await imports.outcome(), 'failed');
    assert.match(await imports.at('verdict').innerText(), /row 3 · line 4 · column amount/);
    assert.equal(await count('id > 9100'), 0);
    await picture(page, 'flows-2-failed');

    await imports.at('change-again').click();
    await imports.wish('on-error', 'reject');
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded_with_rejects');
    assert.equal(await count('id > 9100'), 3);

    await imports.openRun();
    const reject = page.getByTestId('reject-row');
    await reject.waitFor();
    assert.match(await reject.innerText(), /abc/);
    await picture(page, 'flows-3-rejects');
    const csv = page.waitForEvent('download');
    await page.getByTestId('rejects-download').click();
    assert.match((await csv).suggestedFilename(), /\.csv$/);
  });
});

test('a column without a place is left out only when that is said', async () => {
  // The refused plan is an answer of status 422, which the browser's console repeats as an error.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const imports = new ImportPage(page);
  await imports.open(service.url);
  await imports.choose(file('extra.csv'));
  await imports.uploaded();
  await imports.intoTable('stock');
  await imports.at('plan-error').waitFor();
  assert.match(await imports.at('unused-columns').innerText(), /extra/);
  assert.ok(await imports.at('import-button').isDisabled());
  await imports.at('leave-out').click();
  await imports.planned();
  await imports.start();
  assert.equal(await imports.outcome(), 'succeeded');
  assert.equal(await count('id BETWEEN 9001 AND 9004'), 4);
  await context.close();
});

test('what is wished for stands in the plan and in the record', async () => {
  await withPage(browser, 'wishes', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.choose(file('orders.csv'));
    await imports.intoNewTable('wished');
    await imports.wishNumber('max-rate', 50);
    await imports.wishNumber('verify-sample', 100);
    await imports.wish('binary-log', 'yes');
    await imports.wish('flush', 'yes');
    await imports.planned();
    const warned = imports.at('prechecks').getByText('flushes commits to disk once a second');
    await warned.waitFor();
    assert.match(await imports.sql(), /sql_log_bin\s*=\s*(0|OFF)/i);
    await picture(page, 'flows-4-wishes');
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    await imports.openRun();
    await page.getByTestId('run-facts').waitFor();
    const facts = await page.getByTestId('run-facts').innerText();
    for (const words of [/At most\s+50\.0 MB\/s/, /Rows read back\s+100/, /without these rows/]) assert.match(facts, words);
  });
});

test('the history is filtered by the address, and an empty answer says so', async () => {
  await withPage(browser, 'filters', async (page) => {
    const runs = new RunsPage(page);
    await new ImportPage(page).open(service.url);
    await runs.open(service.origin);
    await page.getByTestId('filter-status').selectOption('failed');
    await page.waitForURL(/status=failed/);
    const others = page.locator('[data-testid=history-row]:not([data-status=failed])');
    await until(async () => others.count(), (left) => left === 0, 10_000);
    await page.reload();
    await page.getByTestId('history-table').waitFor();
    assert.equal(await others.count(), 0);
    await page.getByTestId('filter-text').fill('no such file');
    await page.getByTestId('empty').waitFor();
    await page.getByTestId('filter-clear').click();
    await page.getByTestId('history-row').first().waitFor();
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 390]) {
    test(`every page is in order, ${colorScheme}, ${width} wide`, async () => {
      const options = { colorScheme, viewport: { width, height: 900 }, bypassCSP: true };
      await withPage(browser, `pages-${colorScheme}-${width}`, async (page) => {
        const look = async (name) => {
          await picture(page, `page-${name}-${colorScheme}-${width}`);
          assert.deepEqual(await findings(page), [], name);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
        };
        const imports = new ImportPage(page);
        await imports.open(service.url);
        await look('import-empty');
        await imports.choose(file('orders.csv'));
        await imports.intoNewTable('another');
        await imports.planned();
        await look('import');
        await new RunsPage(page).open(service.origin);
        await look('runs');
        await page.getByTestId('history-row').first().getByRole('link').click();
        await page.getByTestId('verdict').waitFor();
        await look('run');
        const runId = new URL(page.url()).pathname.split('/').pop();
        await page.goto(`${service.origin}/runs/compare?a=${runId}&b=${runId}`);
        await page.getByTestId('compare').waitFor();
        await look('compare');
        await page.goto(`${service.origin}/targets`);
        await page.getByTestId('capabilities').first().waitFor();
        await look('targets');
        await page.goto(`${service.origin}/kit`);
        await page.getByTestId('kit').waitFor();
        await look('kit');
      }, options);
    });
  }
}

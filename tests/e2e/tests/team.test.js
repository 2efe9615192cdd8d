// What a team does with the history, what recipes save them, and what a page that is left open
// lives through.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Api } from '../lib/api.js';
import { picture } from '../lib/artifacts.js';
import { findings } from '../lib/axe.js';
import { launch, withPage } from '../lib/browser.js';
import { hourOfUpdates } from '../lib/hour.js';
import { Line } from '../lib/line.js';
import { writeOrders } from '../lib/orders.js';
import { Service } from '../lib/service.js';
import { ImportPage } from '../pages/import-page.js';
import { ComparePage, RunPage, RunsPage } from '../pages/runs-page.js';

const ROWS = 5000;

let service;
let browser;
let folder;
let quick;
let slow;
const file = (name) => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-team-'));
  await writeOrders(file('orders.csv'), ROWS);
  await writeOrders(file('first_time.csv'), ROWS);
  await writeOrders(file('small.csv'), 100);
  await writeFile(file('monday.csv'), 'id;city;paid\n1;Oslo;n/a\n2;Lima;1.5\n');
  await writeFile(file('tuesday.csv'), 'id;city;paid\n3;Quito;2.5\n4;Perth;n/a\n');
  service = await Service.start('team');
  browser = await launch();
  const api = new Api(service);
  quick = await api.run(file('orders.csv'), 'orders');
  slow = await api.run(file('orders.csv'), 'orders', { mode: 'replace', strategy: 'insert' });
  await api.run(file('small.csv'), 'small');
  assert.deepEqual([quick.status, slow.status], ['succeeded', 'succeeded']);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('from the printed address to every row in, in at most six actions', async () => {
  await withPage(browser, 'first-time', async (page) => {
    const begun = Date.now();
    const actions = await countActions(page);
    const imports = new ImportPage(page);
    await imports.open(service.url);
    const usable = Date.now() - begun;
    await imports.drop(file('first_time.csv'));
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    // The page counts what is done on it; opening the address comes first.
    const done = ['open the address', ...(await actions())];
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    console.log(`# usable after ${usable} ms, ${ROWS} rows in after ${seconds} s: ${done.join(', ')}`);
    assert.ok(done.length <= 6, `${done.length} actions`);
    assert.equal(await service.database.count('sandbox.first_time'), ROWS);
  });
});

test('the history sorts, pages and leaves as CSV by its address', async () => {
  await withPage(browser, 'history', async (page) => {
    const runs = new RunsPage(page);
    await new ImportPage(page).open(service.url);
    await runs.open(service.origin);
    await page.getByTestId('trend-chart').waitFor();
    await page.getByTestId('sort-rows').click();
    await page.waitForURL(/sort=rows/);
    await page.getByTestId('filter-strategy').selectOption('insert');
    await page.waitForURL(/strategy=insert/);
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=history-row]').length === 1);
    assert.deepEqual(await runs.order(), [slow.run_id]);
    const csv = page.waitForEvent('download');
    await page.getByTestId('runs-csv').click();
    assert.match((await csv).suggestedFilename(), /runs\.csv$/);
    await page.getByTestId('whose').locator('[data-value=mine]').click();
    await page.waitForURL(/who=/);
    await page.getByTestId('filter-clear').click();
    await page.waitForURL(/\/runs\?sort=rows$/);
    await picture(page, 'team-1-history');
  });
});

test('two runs stand side by side', async () => {
  const options = { bypassCSP: true };
  await withPage(browser, 'compare', async (page) => {
    await new ImportPage(page).open(service.url);
    await page.goto(`${service.origin}/runs/${quick.run_id}`);
    await page.getByTestId('compare-with').click();
    const runs = new RunsPage(page);
    await runs.row(slow.run_id).waitFor();
    await runs.pick(slow.run_id);
    await page.getByTestId('compare-go').click();
    const compare = new ComparePage(page);
    await compare.loaded();
    assert.match(page.url(), new RegExp(`a=${quick.run_id}&b=${slow.run_id}`));
    assert.match(await compare.different(), /LOAD DATA[\s\S]*INSERT/);
    await picture(page, 'team-2-compare');
    assert.deepEqual(await findings(page), []);
    await page.getByTestId('compare-swap').click();
    await page.waitForURL(new RegExp(`a=${slow.run_id}`));
    await page.reload();
    await compare.loaded();
    assert.match(await compare.different(), /INSERT[\s\S]*LOAD DATA/);
  }, options);
});

test('what was set for one file is offered for the next of its shape', async () => {
  await withPage(browser, 'recipes', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.choose(file('monday.csv'));
    await imports.uploaded();
    await imports.intoNewTable('paid');
    await imports.at('chip-null').click();
    await page.locator('#free-null').fill('n/a');
    await page.locator('#free-null').press('Enter');
    await page.keyboard.press('Escape');
    await imports.at('type-paid').fill('decimal(8,2)');
    await imports.at('type-paid').press('Enter');
    await imports.planned();
    await imports.keepRecipe('Daily payments');
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');

    await imports.at('start-over').click();
    await imports.choose(file('tuesday.csv'));
    await imports.at('recipe-offer').waitFor();
    await picture(page, 'team-3-recipe');
    await imports.at('recipe-use').click();
    await imports.at('match-table').waitFor();
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    const found = await service.database.rows('SELECT id, paid FROM sandbox.paid ORDER BY id');
    assert.deepEqual(found, [['1', 'NULL'], ['2', '1.50'], ['3', '2.50'], ['4', 'NULL']]);
    const [recipe] = await new Api(service).get('/recipes');
    assert.deepEqual([recipe.name, recipe.uses], ['Daily payments', 2]);
  });
});

test('a page that is left open lives through a restart and a lost session', async () => {
  // A service that is away makes the browser's console complain.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await new ImportPage(page).open(service.url);
  await new RunsPage(page).open(service.origin);
  await service.restart('team-again', async () => {
    await page.getByTestId('service-away').waitFor();
    await picture(page, 'team-4-away');
  });
  await page.getByTestId('service-away').waitFor({ state: 'detached' });
  await page.getByTestId('history-row').first().waitFor();
  await context.clearCookies();
  await page.getByTestId('session-over').waitFor();
  await picture(page, 'team-5-session-over');
  const other = await context.newPage();
  await new ImportPage(other).open(service.url);
  await page.getByTestId('session-over').waitFor({ state: 'detached' });
  await context.close();
});

test('a run that is watched lives through a lost stream and a restart', async () => {
  // At this rate there is a middle, in small chunks that each count.
  const rate = { max_bytes_per_sec: 40_000, chunk_bytes: 8192, mode: 'append', on_error: 'reject' };
  await service.database.rows('CREATE TABLE sandbox.watched LIKE sandbox.orders');
  const runId = await new Api(service).start(file('orders.csv'), 'watched', rate);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const line = await Line.to(service);
  await new ImportPage(page).open(line.url);
  const run = new RunPage(page);
  await run.open(line.origin, runId);
  const first = await run.rowsPast(0);

  line.cut();
  await run.lost().waitFor();
  line.mend();
  await run.lost().waitFor({ state: 'detached' });
  const second = await run.rowsPast(first);

  await service.restart('team-watched', async () => {
    await run.lost().waitFor();
    await picture(page, 'team-9-lost');
  });
  await run.inStatus('interrupted');
  await picture(page, 'team-10-interrupted');
  await run.resume();
  await run.rowsPast(second);
  await run.inStatus('succeeded');
  assert.equal(await service.database.count('sandbox.watched'), ROWS);
  await context.close();
  line.close();
});

test('a file of 400 columns, a name of 64 characters and a record of a megabyte are no trouble', async () => {
  const long = 'a_column_with_a_name_that_is_as_long_as_the_server_allows_it_to_';
  const names = [long, ...Array.from({ length: 399 }, (_, i) => `c${i}`)];
  const line = names.map((_, i) => i).join(',');
  await writeFile(file('wide.csv'), `${names.join(',')}\n${line}\n`);
  await service.database.rows('CREATE TABLE sandbox.tight (id INT PRIMARY KEY, note VARCHAR(8))');
  await writeFile(file('huge.csv'), `id,note\n1,fine\n2,${'x'.repeat(1 << 20)}\n`);
  await withPage(browser, 'wide', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.choose(file('wide.csv'));
    await imports.uploaded();
    await imports.intoNewTable('t'.repeat(64));
    await imports.planned();
    await picture(page, 'team-7-wide');
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(sideways <= 0, `the page is ${sideways} pixels too wide`);
    const run = await new Api(service).run(file('huge.csv'), 'tight', { on_error: 'reject' });
    await page.goto(`${service.origin}/runs/${run.run_id}`);
    const reject = page.getByTestId('reject-row');
    await reject.waitFor();
    assert.ok((await reject.innerText()).length < 2000);
    await picture(page, 'team-8-huge-reject');
  });
});

test('an hour of updates leaves the run page as small as it was', async () => {
  await withPage(browser, 'hour', async (page) => {
    const [before, after] = await hourOfUpdates(page, service, slow);
    console.log(`# after 600 and 4,200 updates: ${JSON.stringify([before, after])}`);
    assert.ok(after.program <= before.program + (1 << 20), 'the program grew');
    assert.ok(after.heap <= before.heap + (2 << 20), 'the heap grew');
    assert.ok(after.nodes <= before.nodes + 50, 'the page grew');
    await page.getByTestId('worker-row').nth(1).waitFor();
    await picture(page, 'team-6-live');
  });
});

/** Counts what a person does on the page from its opening on; asks for it later. */
async function countActions(page) {
  await page.addInitScript(() => {
    globalThis.actionsDone = [];
    for (const kind of ['pointerdown', 'keydown', 'drop']) {
      addEventListener(kind, (e) => e.isTrusted && globalThis.actionsDone.push(kind), true);
    }
  });
  return () => page.evaluate(() => globalThis.actionsDone);
}

// The whole road: a file dropped in the browser ends as rows in the database.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { picture } from '../lib/artifacts.js';
import { launch, withPage } from '../lib/browser.js';
import { HEADER, writeOrders } from '../lib/orders.js';
import { Service } from '../lib/service.js';
import { ImportPage } from '../pages/import-page.js';
import { RunsPage } from '../pages/runs-page.js';
import { until } from '../pages/until.js';

const ROWS = 100_000;

let service;
let browser;
let folder;
let file;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-files-'));
  file = join(folder, 'orders.csv');
  await writeOrders(file, ROWS);
  service = await Service.start('import');
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a dropped file is imported into a new table with the engine that was picked', async () => {
  await withPage(browser, 'import', async (page) => {
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await picture(page, 'import-1-empty');

    await imports.drop(file);
    const columns = await imports.previewColumns();
    for (const name of HEADER.split(',')) assert.match(columns, new RegExp(name));
    await imports.uploaded();
    await picture(page, 'import-2-file');

    await imports.intoNewTable('orders');
    const engines = await imports.engines();
    assert.ok(engines.includes('innodb'), `the sandbox offers ${engines}`);
    const engine = engines.includes('rocksdb') ? 'rocksdb' : 'innodb';
    await imports.pickEngine(engine);
    await imports.pickStrategy('load_data');
    await picture(page, 'import-3-planned');

    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    await picture(page, 'import-4-done');

    assert.equal(await service.database.count('sandbox.orders'), ROWS);
    const sums = 'SELECT COUNT(DISTINCT id), MIN(id), MAX(id), COUNT(note) FROM sandbox.orders';
    const [found] = await service.database.rows(sums);
    assert.deepEqual(found, [`${ROWS}`, '1', `${ROWS}`, `${ROWS}`]);
    const used = await service.database.value(
      "SELECT LOWER(engine) FROM information_schema.tables WHERE table_schema = 'sandbox' AND table_name = 'orders'",
    );
    assert.equal(used, engine);

    const runId = await imports.openRun();
    await page.getByTestId('verdict').waitFor();
    const shown = await page.getByTestId('run-rows').innerText();
    assert.equal(shown.replace(/\D/g, ''), String(ROWS));
    await picture(page, 'run');

    const runs = new RunsPage(page);
    await runs.open(service.origin);
    await runs.row(runId).waitFor();
    assert.equal(await runs.row(runId).getAttribute('data-status'), 'succeeded');
    assert.match(await runs.row(runId).innerText(), /orders/);
    await picture(page, 'history');
  });
});

test('a page reloaded in mid-upload goes on where it was and ends right', async () => {
  await withPage(browser, 'reload', async (page) => {
    const sentFrom = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sentFrom.push(Number(request.headers()['upload-offset']));
    });
    const imports = new ImportPage(page);
    await imports.open(service.url);

    // A real line of 1 MB/s, so that there is a middle to reload in.
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    const throttle = (uploadThroughput) =>
      line.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await throttle(1 << 20);
    await imports.choose(file);
    await until(
      async () => imports.at('upload-progress').innerText(),
      (text) => Number.parseFloat(text) >= 3 && /MB/.test(text),
      30_000,
    );
    await picture(page, 'reload-1-mid-upload');
    await page.reload();
    await imports.at('drop-zone').waitFor();
    await picture(page, 'reload-2-reloaded');
    await throttle(-1);
    await imports.choose(file);
    await imports.uploaded();
    const resumedFrom = sentFrom.at(-1);
    assert.ok(resumedFrom > 0, `the upload went on from byte ${resumedFrom}, of ${sentFrom}`);

    await imports.intoNewTable('orders_reloaded');
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    const sums = 'SELECT COUNT(*), COUNT(DISTINCT id) FROM sandbox.orders_reloaded';
    const [found] = await service.database.rows(sums);
    assert.deepEqual(found, [`${ROWS}`, `${ROWS}`]);
    await picture(page, 'reload-3-done');
  });
});

test('several files with the same columns are one import, and others are told apart before a byte is sent', async () => {
  const part = (name, header, from) => {
    const rows = Array.from({ length: 50 }, (_, i) => `${from + i},city ${i}\n`).join('');
    return writeFile(join(folder, name), `${header}\n${rows}`);
  };
  await part('towns-2025.csv', 'id,city', 1);
  await part('towns-2026.csv', 'id,city', 101);
  await part('towns-more.csv', 'id,city', 201);
  await part('places.csv', 'id,place', 301);
  const paths = (...names) => names.map((name) => join(folder, name));
  await withPage(browser, 'several', async (page) => {
    const sent = [];
    page.on('request', (request) => request.url().endsWith('/uploads') && sent.push(request.url()));
    const imports = new ImportPage(page);
    await imports.open(service.url);
    await imports.drop(...paths('towns-2025.csv', 'places.csv'));
    await imports.at('file-error').waitFor();
    const said = await imports.at('file-error').innerText();
    assert.match(said, /Column 2 of towns-2025\.csv is called .city., in places\.csv .place./);
    assert.match(said, /same columns/);
    assert.deepEqual(sent, []);
    await picture(page, 'several-1-differ');

    await imports.drop(...paths('towns-more.csv', 'towns-2026.csv', 'towns-2025.csv'));
    await imports.uploaded();
    assert.equal(await imports.at('table-name').inputValue(), 'towns');
    assert.match(await imports.at('part-file').innerText(), /towns-2025\.csv and 2 more/);
    await imports.planned();
    await picture(page, 'several-2-planned');
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    const [found] = await service.database.rows('SELECT COUNT(*), MIN(id), MAX(id) FROM sandbox.towns');
    assert.deepEqual(found, ['150', '1', '250']);
  });
});

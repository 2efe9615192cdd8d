// What hands do: columns matched by drag and by keys, a whole import without a mouse.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { picture } from '../lib/artifacts.js';
import { launch, withPage } from '../lib/browser.js';
import { writeOrders } from '../lib/orders.js';
import { Service } from '../lib/service.js';
import { ImportPage } from '../pages/import-page.js';
import { Keyboard } from '../pages/keyboard.js';
import { until } from '../pages/until.js';

let service;
let browser;
let folder;
const file = (name) => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-hands-'));
  await writeOrders(file('orders.csv'), 500);
  await writeFile(file('betraege.csv'), 'nummer,betrag,text\n1,2.50,one\n2,3.75,two\n');
  service = await Service.start('hands');
  browser = await launch();
  const columns = 'id INT PRIMARY KEY, amount DECIMAL(8,2) NOT NULL, note VARCHAR(20)';
  await service.database.rows(`CREATE TABLE sandbox.amounts (${columns})`);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('columns of other names are matched by drag and by keys', async () => {
  await withPage(browser, 'match', async (page) => {
    const imports = new ImportPage(page);
    const keyboard = new Keyboard(page);
    await imports.open(service.url);
    await imports.choose(file('betraege.csv'));
    await imports.uploaded();
    await imports.intoTable('amounts');
    assert.match(await imports.at('missing-columns').innerText(), /id, amount/);

    await imports.drag(imports.spare('nummer'), 'id');
    await until(() => imports.filledBy('id'), (name) => name === 'nummer', 5000);
    assert.match(await imports.at('missing-columns').innerText(), /amount/);

    // The first letter picks the column in the list that has the focus.
    await keyboard.to('#from-amount');
    await page.keyboard.press('b');
    await until(() => imports.filledBy('amount'), (name) => name === 'betrag', 5000);
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'from-amount');
    await imports.at('missing-columns').waitFor({ state: 'detached' });

    await imports.drag(imports.spare('text'), 'note');
    await until(() => imports.filledBy('note'), (name) => name === 'text', 5000);
    await picture(page, 'hands-1-matched');
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    const found = await service.database.rows('SELECT id, amount, note FROM sandbox.amounts ORDER BY id');
    assert.deepEqual(found, [['1', '2.50', 'one'], ['2', '3.75', 'two']]);
  }, { refused: true });
});

test('a whole import needs no mouse', async () => {
  await withPage(browser, 'keyboard', async (page) => {
    const imports = new ImportPage(page);
    const keyboard = new Keyboard(page);
    await imports.open(service.url);

    // The browser's own dialog is the system's; what is picked in it comes back here.
    const asked = page.waitForEvent('filechooser');
    await keyboard.press('choose-file');
    await (await asked).setFiles(file('orders.csv'));
    await imports.uploaded();

    await keyboard.write('table-name', 'by_keys');
    await keyboard.to('[data-testid=engine-select] input:checked');
    await page.keyboard.press('ArrowDown');
    const engine = await imports.at('engine-select').getAttribute('data-value');
    await imports.planned();

    // The second way by one arrow, and the focus stays on it.
    await keyboard.to('[data-testid=plan-cards] input:checked');
    await page.keyboard.press('ArrowDown');
    const second = imports.at('plan-card-1').locator('input');
    await until(() => second.isChecked(), (checked) => checked, 5000);
    assert.ok(await second.evaluate((radio) => radio === document.activeElement), 'the focus is lost');

    await keyboard.press('chip-null');
    await page.keyboard.press('Escape');
    assert.equal(await keyboard.at(), 'chip-null');

    await imports.planned();
    await keyboard.press('import-button');
    assert.equal(await imports.outcome(), 'succeeded');
    assert.equal(await service.database.count('sandbox.by_keys'), 500);
    const used = "SELECT engine FROM information_schema.tables WHERE table_name = 'by_keys'";
    assert.equal((await service.database.value(used)).toLowerCase(), engine.toLowerCase());

    await keyboard.press('open-run');
    await page.waitForURL(/\/runs\/[^/]+$/);
    await page.getByTestId('verdict').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'content');
    await picture(page, 'hands-2-keyboard');
  });
});

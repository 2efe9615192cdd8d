// What a load would take, how right that was, and methods measured on the server itself.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { picture } from '../lib/artifacts.js';
import { findings } from '../lib/axe.js';
import { launch, withPage } from '../lib/browser.js';
import { Service } from '../lib/service.js';
import { until } from '../pages/until.js';

let service;
let browser;

/** Opens the address with the token, and stays until the page is there. */
async function enter(page) {
  await page.goto(service.url);
  await page.getByText('Drop a file here').waitFor();
}

before(async () => {
  service = await Service.start('foresee');
  browser = await launch();
  // The first address carries the token, and the ladder gives the other pages something to show.
  await withPage(browser, 'foresee-ladder', async (page) => {
    await enter(page);
    await page.goto(`${service.origin}/trials`);
    await page.getByTestId('empty').waitFor();
    await page.locator('#l-seconds').fill('6');
    await page.getByTestId('climb').click();
    await page.locator('[data-testid=trial][data-status=done]').waitFor({ timeout: 60_000 });
    assert.ok((await page.locator('[data-testid=rungs] > li').count()) > 5);
    await picture(page, 'foresee-ladder');
  });
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

test('a question about rows alone is answered, with the bend and the window', async () => {
  await withPage(browser, 'foresee-question', async (page) => {
    await enter(page);
    await page.goto(`${service.origin}/estimate`);
    const expected = page.getByTestId('estimate-expected');
    await expected.waitFor();
    const before = await expected.innerText();
    await page.getByTestId('q-rows').fill('2G');
    await until(() => expected.innerText(), (now) => now !== before, 10_000);
    assert.match(await page.getByTestId('fits').innerText(), /window/);
    assert.ok((await page.getByTestId('ways').locator('tbody tr').count()) > 1);
    await picture(page, 'foresee-estimate');
    await page.getByTestId('q-rows').fill('many');
    await page.getByText('Fill in numbers').waitFor();
  });
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 390]) {
    test(`the pages are in order, ${colorScheme}, ${width} wide`, async () => {
      const options = { colorScheme, viewport: { width, height: 900 }, bypassCSP: true };
      await withPage(browser, `foresee-${colorScheme}-${width}`, async (page) => {
        await enter(page);
        for (const [name, sign] of [['estimate', 'curve'], ['trials', 'rungs']]) {
          await page.goto(`${service.origin}/${name}`);
          await page.getByTestId(sign).first().waitFor();
          await picture(page, `page-${name}-${colorScheme}-${width}`);
          assert.deepEqual(await findings(page), [], name);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
        }
      }, options);
    });
  }
}

// A team: an admin and an importer come by their invitations, log in, and see what is theirs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { picture } from '../lib/artifacts.js';
import { findings } from '../lib/axe.js';
import { launch } from '../lib/browser.js';
import { writeOrders } from '../lib/orders.js';
import { Service, binary } from '../lib/service.js';
import { ImportPage } from '../pages/import-page.js';

const PASSWORD = 'correct horse';
const ROWS = 500;

let service;
let browser;
let folder;

/** Adds someone by the command line; the link that it prints. */
async function invite(name, role) {
  const args = ['user', 'add', name, '--role', role, '--url', service.origin, '--json'];
  const { stdout } = await promisify(execFile)(binary, [...args, '--data', service.data]);
  return JSON.parse(stdout).link;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-people-'));
  await writeOrders(join(folder, 'orders.csv'), ROWS);
  service = await Service.start('people');
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('an importer is invited, logs in, imports, and may not open targets', async () => {
  const links = { amy: await invite('amy', 'admin'), bo: await invite('bo', 'importer') };
  // Being asked for a login makes the browser's console complain.
  const options = { bypassCSP: true, viewport: { width: 1280, height: 900 } };
  const context = await browser.newContext(options);
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const imports = new ImportPage(page);
  try {
    // The printed address lets nobody in any more.
    await page.goto(service.url);
    await page.getByTestId('login-name').waitFor();
    assert.deepEqual(await findings(page), []);

    await page.goto(links.bo);
    await page.getByTestId('new-password').fill(PASSWORD);
    await page.getByTestId('new-password').press('Enter');
    await imports.at('drop-zone').waitFor();
    await page.getByTestId('log-out').click();

    await page.getByTestId('login-name').fill('bo');
    await page.getByTestId('login-password').fill('wrong password');
    await page.getByTestId('enter-button').click();
    await page.getByTestId('enter-error').waitFor();
    await picture(page, 'people-1-login');
    await page.getByTestId('login-password').fill(PASSWORD);
    await page.getByTestId('enter-button').click();
    await page.getByTestId('log-out').waitFor();

    await imports.choose(join(folder, 'orders.csv'));
    await imports.uploaded();
    await imports.intoNewTable('orders');
    await imports.planned();
    await imports.start();
    assert.equal(await imports.outcome(), 'succeeded');
    assert.equal(await service.database.count('sandbox.orders'), ROWS);
    await picture(page, 'people-2-importer');

    assert.equal(await page.locator('nav a[href="/targets"]').isVisible(), false);
    await page.goto(`${service.origin}/targets`);
    await page.getByText('This page is for admins').waitFor();
    await picture(page, 'people-3-not-yours');

    await page.goto(links.bo);
    await page.getByTestId('new-password').fill(PASSWORD);
    await page.getByTestId('enter-button').click();
    assert.equal(await page.getByTestId('enter-error').getAttribute('data-code'), 'wrong_login');

    // The admin invites another and keeps bo out.
    await page.goto(links.amy);
    await page.getByTestId('new-password').fill(PASSWORD);
    await page.getByTestId('enter-button').click();
    await page.locator('nav a[href="/team"]').click();
    const person = (name) => page.locator(`[data-testid=person][data-name=${name}]`);
    await person('bo').waitFor();
    await page.getByTestId('p-name').fill('cy');
    await page.getByTestId('p-invite').click();
    await person('cy').waitFor();
    const link = await page.getByTestId('invitation-link').innerText();
    assert.ok(link.startsWith(`${service.origin}/invitation#`), link);
    await person('bo').getByTestId('person-out').click();
    await person('bo').getByText('kept out').waitFor();
    await picture(page, 'people-4-team');
    assert.deepEqual(await findings(page), []);
  } catch (error) {
    await picture(page, 'people-failed').catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
});

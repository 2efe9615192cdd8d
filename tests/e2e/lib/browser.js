// Headless Chromium: the system's own, or the one that PLIMSOLL_CHROMIUM names.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

import { picture } from './artifacts.js';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** How long anything on the page may take before the test gives up, unless it says otherwise. */
const PATIENCE_MS = 20_000;

function executable() {
  const named = process.env.PLIMSOLL_CHROMIUM;
  const found = named ?? USUAL.find((path) => existsSync(path));
  if (!found) throw new Error('no Chromium: install it, or name it in PLIMSOLL_CHROMIUM');
  return found;
}

/** Starts the browser. As root, as in most containers, Chromium has no sandbox to offer. */
export function launch() {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: executable(), args });
}

/**
 * Runs `body` with a fresh page; whatever the page complains about in the meantime is a failure,
 * and a failure leaves a picture. With `refused`, answers of status 422, which the console repeats, are
 * none. Other `options` are the browser context's, beyond the usual.
 */
export async function withPage(browser, name, body, { refused = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const expected = refused && message.text().includes('422');
    if (message.type() === 'error' && !expected) complaints.push(message.text());
  });
  try {
    await body(page);
    if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join('\n')}`);
  } catch (error) {
    await picture(page, `${name}-failed`).catch(() => {});
    if (complaints.length > 0) error.message += `\nthe page said: ${complaints.join('\n')}`;
    throw error;
  } finally {
    await context.close();
  }
}

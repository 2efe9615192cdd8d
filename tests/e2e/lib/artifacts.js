// Where pictures and logs are kept for whoever looks at a finished or failed run.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const root = new URL('../../..', import.meta.url).pathname;

export const artifacts = process.env.PLIMSOLL_ARTIFACTS ?? join(root, 'target/e2e-artifacts');

/** Keeps a picture of the whole page as `name`.png. */
export async function picture(page, name) {
  await mkdir(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`), fullPage: true });
}

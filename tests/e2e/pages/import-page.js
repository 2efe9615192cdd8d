// The import page, in the words of the person who uses it.

import { until } from './until.js';

export class ImportPage {
  constructor(page) {
    this.page = page;
  }

  async open(url) {
    await this.page.goto(url);
    await this.at('drop-zone').waitFor();
  }

  at(id) {
    return this.page.getByTestId(id);
  }

  /** Drops files from the disk on the drop zone, as a file manager does. */
  async drop(...paths) {
    const box = await this.at('drop-zone').boundingBox();
    const session = await this.page.context().newCDPSession(this.page);
    const event = {
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    };
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await session.send('Input.dispatchDragEvent', { type, ...event });
    }
    await session.detach();
  }

  /** Chooses files by the button's dialog. */
  async choose(...paths) {
    await this.at('file-input').setInputFiles(paths);
  }

  /** The headings of the preview. */
  async previewColumns() {
    await this.at('preview-table').waitFor();
    return this.at('preview-table').locator('thead').innerText();
  }

  /** Waits until every byte has arrived. */
  async uploaded(timeoutMs = 60_000) {
    const done = this.page.locator('[data-testid=upload-status][data-phase=done]');
    await done.waitFor({ timeout: timeoutMs });
  }

  /** Names the new table. */
  async intoNewTable(name) {
    await this.at('into').locator('[data-value=new]').click();
    await this.at('table-name').fill(name);
  }

  /** The engines that the server offers, in lower case. */
  async engines() {
    await this.at('engine-select').waitFor();
    const radios = this.at('engine-select').locator('input[type=radio]');
    return radios.evaluateAll((all) => all.map((radio) => radio.value.toLowerCase()));
  }

  async pickEngine(name) {
    await this.at(`engine-${name}`).check();
  }

  /** Takes the plan with this strategy, once the plans are made. */
  async pickStrategy(strategy) {
    const card = this.page.locator(`[data-testid=plan-cards] [data-strategy=${strategy}]`).first();
    await card.locator('input[type=radio]').check();
  }

  /** Takes a table that is there. */
  async intoTable(name) {
    await this.at('into').locator('[data-value=existing]').click();
    await this.at('table-select').fill(name);
    await this.page.getByRole('option', { name }).first().waitFor();
    await this.at('table-select').press('Enter');
    await this.at('match-table').waitFor();
  }

  /** Opens what can be set instead of the planner. */
  async #wishes() {
    const wishes = this.at('wishes');
    if ((await wishes.getAttribute('open')) === null) await wishes.locator('summary').click();
  }

  /** Sets a wish, for example `on-error` to `reject`. */
  async wish(what, value) {
    await this.#wishes();
    await this.at(`${what}-select`).selectOption(value);
  }

  /** Sets a wish that is a number, for example `max-rate`. */
  async wishNumber(what, value) {
    await this.#wishes();
    await this.at(`${what}-input`).fill(String(value));
  }

  /** The SQL that the plan shows. */
  async sql() {
    const sql = this.at('plan-sql');
    if ((await sql.getAttribute('open')) === null) await sql.locator('summary').click();
    return sql.locator('pre').innerText();
  }

  /** Keeps what is set as a recipe. */
  async keepRecipe(name) {
    await this.at('recipes').click();
    await this.at('recipe-name').fill(name);
    await this.at('recipe-keep').click();
    await this.at('recipe-name').waitFor({ state: 'detached' });
  }

  /** Drags a column of the file, by its grip, onto a column of the table. */
  async drag(grip, column) {
    await grip.dragTo(this.page.locator(`[data-testid=match-row][data-column="${column}"]`));
  }

  /** The grip of a column of the file that fills nothing yet. */
  spare(name) {
    return this.page.locator('.spare .chip', { hasText: name }).getByTestId('grip');
  }

  /** The column of the file that fills a column of the table, by name. */
  async filledBy(column) {
    return this.page.locator(`[id="from-${column}"]`).evaluate((list) => list.selectedOptions[0]?.text);
  }

  /** Waits until there is a plan for what was set last. */
  async planned() {
    await this.at('plan-card-0').waitFor();
    await this.page.locator('[data-testid=part-plan][aria-busy=false]').waitFor();
  }

  /** Has every row checked; the sentence about it. */
  async check() {
    await this.at('check-button').click();
    return this.at('check-result').innerText();
  }

  /** Presses the one button. */
  async start() {
    await this.at('import-button').click();
  }

  /** Waits for the run's end: what became of it. */
  async outcome(timeoutMs = 120_000) {
    const status = this.at('part-run').getByTestId('run-status');
    const over = /succeeded|failed|cancelled|interrupted/;
    return until(
      async () => status.getAttribute('data-status'),
      (now) => over.test(now ?? ''),
      timeoutMs,
    );
  }

  /** Opens the run's own page; its identity. */
  async openRun() {
    await this.at('open-run').click();
    await this.page.waitForURL(/\/runs\/[^/]+$/);
    return new URL(this.page.url()).pathname.split('/').pop();
  }
}

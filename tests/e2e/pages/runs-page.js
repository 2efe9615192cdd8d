// The history of runs.

import { until } from './until.js';

export class RunsPage {
  constructor(page) {
    this.page = page;
  }

  async open(origin) {
    await this.page.goto(`${origin}/runs`);
    await this.page.getByTestId('history-table').waitFor();
  }

  /** The identities of the runs in sight, in their order. */
  async order() {
    const rows = this.page.getByTestId('history-row');
    return rows.evaluateAll((all) => all.map((row) => row.dataset.run));
  }

  /** Ticks a run to be compared. */
  async pick(runId) {
    await this.row(runId).getByTestId('pick-run').check();
  }

  /** The row of one run. */
  row(runId) {
    return this.page.locator(`[data-testid=history-row][data-run="${runId}"]`);
  }
}

/** A run's own page. */
export class RunPage {
  constructor(page) {
    this.page = page;
  }

  async open(origin, runId) {
    await this.page.goto(`${origin}/runs/${runId}`);
    await this.page.getByTestId('run-status').first().waitFor();
  }

  /** Waits until more than `before` rows are in; how many. */
  async rowsPast(before) {
    const rows = this.page.getByTestId('run-rows');
    const read = async () => Number((await rows.innerText()).replace(/\D/g, ''));
    return until(read, (now) => now > before, 30_000);
  }

  /** What says that the stream is lost. */
  lost() {
    return this.page.getByTestId('live-lost');
  }

  async inStatus(status) {
    const tag = this.page.locator(`[data-testid=run-status][data-status=${status}]`).first();
    await tag.waitFor({ timeout: 60_000 });
  }

  async resume() {
    await this.page.getByTestId('resume-button').click();
  }
}

/** Two runs side by side. */
export class ComparePage {
  constructor(page) {
    this.page = page;
  }

  async loaded() {
    await this.page.getByTestId('compare').waitFor();
  }

  /** What was different, as text. */
  async different() {
    return this.page.getByTestId('compare-different').innerText();
  }

  /** The head of one side: "a" or "b". */
  async side(side) {
    return this.page.getByTestId(`compare-${side}`).innerText();
  }
}

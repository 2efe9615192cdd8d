// The history of runs.

export class RunsPage {
  constructor(page) {
    this.page = page;
  }

  async open(origin) {
    await this.page.goto(`${origin}/runs`);
    await this.page.getByTestId('history-table').waitFor();
  }

  /** The row of one run. */
  row(runId) {
    return this.page.locator(`[data-testid=history-row][data-run="${runId}"]`);
  }
}

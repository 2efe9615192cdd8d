// The history of runs.

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

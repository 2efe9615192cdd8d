// A person who has no mouse.

/** More stops than any page has: whoever needs more has been round already. */
const STOPS_MAX = 200;

export class Keyboard {
  constructor(page) {
    this.page = page;
  }

  /** Goes from stop to stop until the focus is on what `selector` names. */
  async to(selector) {
    const there = (wanted) => document.activeElement?.matches(wanted) ?? false;
    for (let stops = 0; stops < STOPS_MAX; stops += 1) {
      if (await this.page.evaluate(there, selector)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard never comes to ${selector}`);
  }

  /** The same by the identity that tests use. */
  async toId(id) {
    await this.to(`[data-testid="${id}"]`);
  }

  /** Goes there and presses a key. */
  async press(id, key = 'Enter') {
    await this.toId(id);
    await this.page.keyboard.press(key);
  }

  /** Goes to a field and writes over what is in it. */
  async write(id, text) {
    await this.toId(id);
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.type(text);
  }

  /** What has the focus. */
  async at() {
    return this.page.evaluate(() => document.activeElement?.dataset.testid ?? document.activeElement?.tagName);
  }
}

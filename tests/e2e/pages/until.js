// Waiting for a value on the page to become what it should.

const PAUSE_MS = 50;

/** Asks `ask` until `enough` likes the answer; fails with the last answer after `timeoutMs`. */
export async function until(ask, enough, timeoutMs) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (Date.now() > end) throw new Error(`after ${timeoutMs} ms it is still ${answer}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

// How much memory a page holds: the program's own and the browser's for it.

/** Makes the program's memory visible; before the page is opened. */
export async function watchMemory(page) {
  await page.addInitScript(() => {
    const real = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...args) => {
      const made = await real.call(WebAssembly, ...args);
      globalThis.programMemory = made.instance.exports.memory;
      return made;
    };
  });
}

/** Bytes after everything that can go has gone. */
export async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  const program = await page.evaluate(() => globalThis.programMemory.buffer.byteLength);
  const nodes = await page.evaluate(() => document.getElementsByTagName('*').length);
  return { heap: usedSize, program, nodes };
}

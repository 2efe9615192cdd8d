// The built service with a sandbox of its own, for as long as the tests take.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';

import { Database } from './database.js';
import { artifacts } from './artifacts.js';

const root = new URL('../../..', import.meta.url).pathname;
/** The program. */
export const binary = process.env.PLIMSOLL_BIN ?? join(root, 'target/debug/plimsoll');

/** A service takes seconds to start; one that needs longer is broken. */
const START_MS_MAX = 120_000;

export class Service {
  /** Starts the service on a free port with a fresh data folder, and waits for its URL. */
  static async start(name) {
    const service = new Service();
    service.data = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-'));
    await service.#spawn(name);
    return service;
  }

  async #spawn(name) {
    const bind = this.origin ? new URL(this.origin).host : '127.0.0.1:0';
    const args = ['serve', '--sandbox', '--bind', bind, '--data', this.data];
    // For work on the dashboard: a newer one than the binary has inside.
    if (process.env.PLIMSOLL_DIST) args.push('--dashboard', process.env.PLIMSOLL_DIST);
    this.child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = once(this.child, 'exit');
    // When this process ends, for whatever reason, the pipe closes and the shell kills the rest.
    const farewell = `read -r _; kill -INT ${this.child.pid}`;
    this.leash = spawn('sh', ['-c', farewell], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.leash.unref();

    await mkdir(artifacts, { recursive: true });
    const log = createWriteStream(join(artifacts, `${name}-service.log`));
    const said = new PassThrough();
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.pipe(log, { end: false });
      stream.pipe(said, { end: false });
    }
    const url = await this.#firstUrl(said);
    said.resume();
    const page = new URL(url);
    /** What a person is told to open, a token included where one is needed. */
    this.url = page.href;
    /** The same without path and query. */
    this.origin = page.origin;
    this.database = new Database(join(this.data, 'sandbox', 'server.sock'));
  }

  async #firstUrl(said) {
    const lines = createInterface({ input: said });
    const found = new Promise((resolve) => {
      lines.on('line', (line) => {
        const match = line.match(/http:\/\/127\.0\.0\.1:\d+\S*/);
        if (match) resolve(match[0].replace(/[.,]$/, ''));
      });
    });
    const died = this.exited.then(([code]) => {
      throw new Error(`plimsoll serve ended (${code}) before it printed a URL`);
    });
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('plimsoll serve printed no URL')), START_MS_MAX);
    });
    try {
      return await Promise.race([found, died, late]);
    } finally {
      clearTimeout(timer);
      died.catch(() => {});
    }
  }

  async #end() {
    this.child.kill('SIGINT');
    await this.exited;
    this.leash.kill();
  }

  /** Stops the service and starts it again at the same address; `between` happens meanwhile. */
  async restart(name, between = async () => {}) {
    await this.#end();
    await between();
    await this.#spawn(name);
  }

  /** Stops the service as Ctrl-C does, and removes its data. */
  async stop() {
    await this.#end();
    await rm(this.data, { recursive: true, force: true });
  }
}

// Asks the sandbox itself, by the server's own client: what the dashboard claims is checked here.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class Database {
  /** @param {string} socket the sandbox's Unix socket */
  constructor(socket) {
    this.socket = socket;
  }

  /** The rows of a query, each an array of strings. */
  async rows(sql) {
    const args = ['--no-defaults', `--socket=${this.socket}`, '--user=root', '--batch'];
    const { stdout } = await run('mariadb', [...args, '--skip-column-names', '-e', sql]);
    return stdout.split('\n').filter(Boolean).map((line) => line.split('\t'));
  }

  /** The one value of a query, as a string. */
  async value(sql) {
    const [[value]] = await this.rows(sql);
    return value;
  }

  /** How many rows `table` has, as a number. */
  async count(table) {
    return Number(await this.value(`SELECT COUNT(*) FROM ${table}`));
  }
}

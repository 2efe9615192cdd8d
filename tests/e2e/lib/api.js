// The service's API as a script uses it: for what a test needs before it begins.

import { basename } from 'node:path';
import { readFile } from 'node:fs/promises';

export class Api {
  /** @param {{url: string, origin: string}} service a running service */
  constructor(service) {
    this.base = `${service.origin}/api/v1`;
    this.headers = { authorization: `Bearer ${new URL(service.url).searchParams.get('token')}` };
  }

  async #ask(method, path, headers = {}, body = undefined) {
    const answer = await fetch(`${this.base}${path}`, {
      method,
      headers: { ...this.headers, ...headers },
      body,
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async get(path) {
    return (await this.#ask('GET', path)).json();
  }

  async post(path, body) {
    const headers = { 'content-type': 'application/json' };
    return (await this.#ask('POST', path, headers, JSON.stringify(body))).json();
  }

  /** Uploads a file; its identity. */
  async upload(path) {
    const bytes = await readFile(path);
    const tus = { 'tus-resumable': '1.0.0' };
    const name = Buffer.from(basename(path)).toString('base64');
    const begun = await this.#ask('POST', '/uploads', {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${name}`,
    });
    const id = begun.headers.get('location').split('/').pop();
    const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    await this.#ask('PATCH', `/uploads/${id}`, headers, bytes);
    return id;
  }

  /** Starts to import a file into the sandbox's first database; the run's identity. */
  async start(path, table, options = {}) {
    const [target] = await this.get('/targets');
    const { databases } = await this.get(`/targets/${target.id}/databases`);
    const source_id = await this.upload(path);
    const request = { source_id, target_id: target.id, database: databases[0], table, options };
    return (await this.post('/runs', request)).run_id;
  }

  /** Does the same and waits for the end; the run. */
  async run(path, table, options = {}) {
    const run_id = await this.start(path, table, options);
    // The event stream closes with the run.
    await (await this.#ask('GET', `/runs/${run_id}/events`)).text();
    return this.get(`/runs/${run_id}`);
  }
}

// The line between a browser and the service, to be cut while the service goes on.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Line {
  /** Opens a line to a service; `origin` is its end for the browser. */
  static async to(service) {
    const line = new Line();
    const { hostname, port } = new URL(service.origin);
    line.sockets = new Set();
    line.whole = true;
    line.server = createServer((near) => {
      if (!line.whole) {
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        line.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          line.sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
    line.server.listen(0, '127.0.0.1');
    await once(line.server, 'listening');
    line.origin = `http://127.0.0.1:${line.server.address().port}`;
    line.url = line.origin + service.url.slice(service.origin.length);
    return line;
  }

  /** Cuts what goes through it, and lets nothing through until it is mended. */
  cut() {
    this.whole = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend() {
    this.whole = true;
  }

  close() {
    this.cut();
    this.server.close();
  }
}

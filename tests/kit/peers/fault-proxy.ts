import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/**
 * What the proxy does to a request:
 * - `cut`: resets the connection before the answer
 * - `cut-answer`: resets it after the head of the answer and one byte of its body
 * - `stall`: never answers, and keeps the connection open
 * - `delay`: passes the request on later
 * - `throttle`: passes the answer on slowly
 */
export type Fault =
  | { kind: 'cut' | 'cut-answer' | 'stall' }
  | { kind: 'delay'; ms: number }
  | { kind: 'throttle'; bytesPerSecond: number };

/** A TCP proxy on a free port of 127.0.0.1, between a browser and a server that speaks HTTP/1.1 without TLS. */
export interface FaultProxy {
  /** `http://localhost:port` */
  url: string;
  /** The first line of every request so far, without the version: `GET /api/user/me`. */
  requests: string[];
  /** Applies the fault to requests whose first line matches, even on connections that are already open. */
  fault(match: RegExp, fault: Fault): void;
  /** Cuts every connection and refuses new ones until `heal`. */
  refuse(): Promise<void>;
  /** Ends all faults. Requests that are stalled stay stalled. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

const REQUEST_LINE = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/;
const HEAD_END = '\r\n\r\n';
const DROP_MS = 20;

/** Starts the proxy. The server at `port` may start later. */
export async function startFaultProxy(target: { port: number }): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let faults: { match: RegExp; fault: Fault }[] = [];
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function listen(on: number): Promise<Server> {
    const listening = createServer(pass).listen(on, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // An error on one side reaches the other side through 'close'.
    socket.on('error', () => socket.destroy());
  }

  /**
   * A browser sends the next request of a connection only after the answer to the last one, so the last request line is the
   * current one.
   */
  function pass(browser: Socket): void {
    const product = createConnection({ port: target.port, host: '127.0.0.1' });
    keep(browser);
    keep(product);
    browser.on('close', () => product.destroy());
    product.on('end', () => browser.end());
    product.on('close', () => browser.destroy());

    let fault: Fault | null = null;
    let isHeadPast = false;
    browser.on('data', (bytes: Buffer) => {
      const line = REQUEST_LINE.exec(bytes.toString('latin1'))?.[1];
      if (line !== undefined) {
        requests.push(line);
        fault = faults.find(({ match }) => match.test(line))?.fault ?? null;
        isHeadPast = false;
      }
      if (fault?.kind === 'stall') return;
      if (fault?.kind === 'cut') browser.resetAndDestroy();
      else if (fault?.kind === 'delay') setTimeout(() => product.write(bytes), fault.ms);
      else product.write(bytes);
    });
    product.on('data', (bytes: Buffer) => {
      if (fault?.kind === 'cut-answer') {
        const headEnd = isHeadPast ? 0 : bytes.indexOf(HEAD_END) + HEAD_END.length;
        isHeadPast ||= headEnd >= HEAD_END.length;
        if (!isHeadPast || headEnd === bytes.length) browser.write(bytes);
        else browser.write(bytes.subarray(0, headEnd + 1), () => browser.resetAndDestroy());
        return;
      }
      if (fault?.kind === 'throttle') void drip(product, browser, bytes, fault.bytesPerSecond);
      else browser.write(bytes);
    });
  }

  return {
    url: `http://localhost:${port}`,
    requests,
    fault(match, fault) {
      faults = [{ match, fault }, ...faults];
    },
    async refuse() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    async heal() {
      faults = [];
      if (!server.listening) server = await listen(port);
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

async function drip(from: Socket, to: Socket, bytes: Buffer, bytesPerSecond: number): Promise<void> {
  from.pause();
  const drop = Math.max(1, Math.round((bytesPerSecond * DROP_MS) / 1000));
  for (let start = 0; start < bytes.length && !to.destroyed; start += drop) {
    to.write(bytes.subarray(start, start + drop));
    await new Promise((resolve) => setTimeout(resolve, DROP_MS));
  }
  from.resume();
}

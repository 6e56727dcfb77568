import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { openConnection, TooManyBytesError } from '../../server/egress/open-connection.ts';
import { hasIpv6Loopback } from '../kit/peers/loopback.ts';

const LOOPBACK = createAddressPolicy(['127.0.0.0/8', '::1/128'], () => []);
const running: Server[] = [];

async function listen(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  running.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => new Promise((done) => server.close(done))));
});

function dial(address: string, port: number, overrides: Partial<Parameters<typeof openConnection>[0]> = {}) {
  const signal = new AbortController().signal;
  return openConnection({ address, port, policy: LOOPBACK, signal, maxBytes: 1_000, ...overrides });
}

describe('openConnection', () => {
  it.each<[string, string]>([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ...(hasIpv6Loopback() ? [['::1', '::1'] satisfies [string, string]] : []),
  ])('returns a socket connected to %s', async (address, host) => {
    const port = await listen((socket) => socket.resume(), host);
    const connection = await dial(address, port);
    expect(connection.ok).toBe(true);
    if (!connection.ok) return;
    connection.socket.destroy();
    await once(connection.socket, 'close');
  });

  it('blames our own network if the kernel has no route to an IPv6 address', async () => {
    // No kernel connects TCP to a multicast address, so this needs no machine without IPv6.
    const multicast = 'ff0e::1';
    const policy = createAddressPolicy(['ff00::/8'], () => []);
    expect(await dial(multicast, 443, { policy })).toMatchObject({
      ok: false,
      stage: 'connect',
      reason: 'no_route_here',
    });
  });

  it('never connects to a forbidden address', async () => {
    let accepted = 0;
    const port = await listen(() => accepted++);
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', 'localhost', '127.1', '0x7f000001']) {
      const policy = createAddressPolicy([], () => []);
      expect(await dial(address, port, { policy })).toEqual({
        ok: false,
        stage: 'policy',
        reason: 'address_refused',
        detail: null,
      });
    }
    expect(accepted).toBe(0);
  });

  it('reports refused for a closed port and timeout for an aborted attempt', async () => {
    const port = await listen(() => undefined);
    expect(await dial('127.55.0.9', port)).toMatchObject({ ok: false, stage: 'connect', reason: 'refused' });
    expect(await dial('127.0.0.1', port, { signal: AbortSignal.abort() })).toMatchObject({
      reason: 'timeout',
    });
  });

  it('destroys the socket when the signal aborts later', async () => {
    const port = await listen((socket) => socket.resume());
    const controller = new AbortController();
    const connection = await dial('127.0.0.1', port, { signal: controller.signal });
    if (!connection.ok) throw new Error('no connection');
    const closed = once(connection.socket, 'close');
    controller.abort();
    await closed;
    expect(connection.socket.destroyed).toBe(true);
  });

  it('closes a connection whose peer sends more than the byte limit', async () => {
    const port = await listen((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(16_384)));
        socket.once('drain', flood);
      };
      flood();
    });
    const connection = await dial('127.0.0.1', port);
    if (!connection.ok) throw new Error('no connection');
    connection.socket.resume();
    const [error] = await once(connection.socket, 'error').catch((reason: unknown) => [reason]);
    expect(error).toBeInstanceOf(TooManyBytesError);
  });
});

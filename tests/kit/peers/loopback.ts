import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { onTestFinished, vi } from 'vitest';

/**
 * Timeouts for probing peers on loopback, in ms. They are so long that no test sees one, even if a busy machine stalls a
 * process for seconds, unless it shortens one. They are longer than tests may take: if the product uses another timeout than
 * the one that a test shortens, the test fails.
 */
export const PATIENT = {
  connect: 300_000,
  handshake: 300_000,
  http: 300_000,
  intermediates: 300_000,
  status: 300_000,
  posture: 300_000,
  dialogue: { greetingMs: 300_000, dialogueMs: 300_000 },
  check: 300_000,
  read: 300_000,
};

/** Options of `expect.poll` while timers are stopped. */
export const STOPPED = { interval: 0 };

/**
 * Stops the timers of this process until the test ends. Timeouts pass only when the test calls `vi.advanceTimersByTime`.
 * `expect.poll` also advances timers, by its interval, so poll with `STOPPED`.
 */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const STEP_MS = 10;

/**
 * Stops the clock of this process until the test ends, and moves it by 10 ms at a time until `work` ends. Between two steps,
 * everything that peers in this process have sent arrives. So an answer that is sent at once never misses a timeout, even on
 * a busy machine.
 */
export async function runInSteps<T>(work: () => Promise<T>): Promise<T> {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  }
  const progress = { isOver: false };
  const result = work().finally(() => (progress.isOver = true));
  while (!progress.isOver) {
    await makeRoundTrip();
    vi.advanceTimersByTime(STEP_MS);
  }
  return result;
}

/** Makes a round trip over loopback. Bytes that were sent over loopback before the call arrive before it resolves. */
async function makeRoundTrip(): Promise<void> {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await once(socket, 'close');
  server.close();
  await once(server, 'close');
}

/** Returns whether this machine has ::1; many containers do not. */
export function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some(({ address }) => address === '::1'),
  );
}

const running: { stop(): Promise<unknown> }[] = [];

/** Stops the peers that this test has passed to `keep`. Called before the test ends. */
export async function stopPeers(): Promise<void> {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
}

/** Stops a peer when the current test ends. Returns the peer. */
export function keep<P extends { stop(): Promise<unknown> }>(peer: P): P {
  if (running.length === 0) onTestFinished(stopPeers);
  running.push(peer);
  return peer;
}

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { STOPPED, stopTimers } from './loopback.ts';

/** How far the test moves the stopped timers in one step, in ms. */
const STEP_MS = 10;

let proxy: FaultProxy;
const product = createServer((request, response) => {
  response.end(`${request.method} ${request.url} ${'x'.repeat(2_000)}`);
});

beforeEach(async () => {
  product.listen(0, '127.0.0.1');
  await once(product, 'listening');
  proxy = await startFaultProxy({ port: (product.address() as AddressInfo).port });
});
afterEach(async () => {
  await proxy.stop();
  product.closeAllConnections();
  product.close();
  await once(product, 'close');
});

const ask = async (path: string, signal?: AbortSignal) => {
  const response = await fetch(`${proxy.url}${path}`, signal ? { signal } : {});
  return await response.text();
};

it('The fault proxy forwards requests that match no fault', async () => {
  proxy.fault(/other/, { kind: 'cut' });
  expect(await ask('/one')).toMatch(/^GET \/one x{2000}$/);
  expect(proxy.requests).toEqual(['GET /one']);
});

it('The fault proxy resets connections before or during an answer until its faults are cleared', async () => {
  await ask('/one');
  proxy.fault(/GET \/one/, { kind: 'cut' });
  await expect(ask('/one')).rejects.toThrow();
  expect(await ask('/two')).toContain('/two');
  proxy.fault(/GET \/one/, { kind: 'cut-answer' });
  const response = await fetch(`${proxy.url}/one`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  await proxy.heal();
  expect(await ask('/one')).toContain('/one');
});

it('The fault proxy never answers a stalled request', async () => {
  proxy.fault(/stalled/, { kind: 'stall' });
  await expect(ask('/stalled', AbortSignal.timeout(200))).rejects.toThrow('timeout');
});

it.each<[string, Fault, number]>([
  ['delays a request by its milliseconds', { kind: 'delay', ms: 500 }, 500],
  [
    'throttles an answer of two kilobytes to 10 kB per second',
    { kind: 'throttle', bytesPerSecond: 10_000 },
    200,
  ],
])('The fault proxy %s, and answers others meanwhile', async (_title, fault, leastMs) => {
  stopTimers();
  proxy.fault(/faulty/, fault);
  let isAnswered = false;
  const faulty = ask('/faulty').finally(() => (isAnswered = true));
  await expect.poll(() => proxy.requests, STOPPED).toContain('GET /faulty');
  expect(await ask('/one')).toContain('/one');
  expect(isAnswered).toBe(false);
  let passedMs = 0;
  const pass = () => {
    vi.advanceTimersByTime(STEP_MS);
    passedMs += STEP_MS;
    return isAnswered;
  };
  await expect.poll(pass, STOPPED).toBe(true);
  expect(passedMs).toBeGreaterThanOrEqual(leastMs);
  expect(await faulty).toMatch(/\/faulty x{2000}$/);
});

it('The fault proxy refuses connections while it is down, and accepts them on the same port afterwards', async () => {
  await ask('/one');
  await proxy.refuse();
  await expect(ask('/one')).rejects.toThrow();
  await proxy.heal();
  expect(await ask('/one')).toContain('/one');
});

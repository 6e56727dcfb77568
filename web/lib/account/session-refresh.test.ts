import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { onRefresh, refreshSession } from './session-refresh.ts';

const user = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };

afterEach(() => {
  vi.unstubAllGlobals();
});

it('refreshSession waits for the refresh of another tab', async () => {
  const order: string[] = [];
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.stubGlobal('fetch', async () => {
    order.push('refreshed');
    return Response.json({ data: user });
  });
  // Another tab holds the lock.
  const other = navigator.locks.request('certlantern-session-refresh', async () => {
    await held;
    order.push('other tab');
  });
  const refreshed = refreshSession();
  release();
  await Promise.all([other, refreshed]);
  expect(order).toEqual(['other tab', 'refreshed']);
});

it('refreshSession works without a lock if the browser has no Web Locks', async () => {
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', async () => Response.json({ data: user }));
  await expect(refreshSession()).resolves.toBeUndefined();
});

it.each([
  [401, 1],
  [403, 1],
  [429, 0],
  [503, 0],
])('a session refresh answered with status %d calls `ended` %d times', async (status, times) => {
  const ended = vi.fn();
  onTestFinished(onRefresh({ refreshed: () => undefined, ended }));
  vi.stubGlobal('fetch', async () => new Response(null, { status }));
  await expect(refreshSession()).rejects.toThrow('Unauthorized');
  expect(ended).toHaveBeenCalledTimes(times);
});

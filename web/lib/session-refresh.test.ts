import { afterEach, expect, it, vi } from 'vitest';
import { refreshSession } from './session-refresh.ts';

const user = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };

afterEach(() => {
  vi.unstubAllGlobals();
});

it('lets the tabs of a browser refresh one after the other', async () => {
  const order: string[] = [];
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.stubGlobal('fetch', async () => {
    order.push('refreshed');
    return Response.json({ data: user });
  });
  // Another tab is at it.
  const other = navigator.locks.request('certlantern-session-refresh', async () => {
    await held;
    order.push('other tab');
  });
  const refreshed = refreshSession();
  release();
  await Promise.all([other, refreshed]);
  expect(order).toEqual(['other tab', 'refreshed']);
});

it('does without turns where the browser has no locks', async () => {
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', async () => Response.json({ data: user }));
  await expect(refreshSession()).resolves.toBeUndefined();
});

import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const AHEAD_MS = 400 * DAY_MS;

/** Runs `act` while the clock is 400 days ahead. */
async function ahead<T>({ clock }: TestApi, act: () => Promise<T>): Promise<T> {
  clock.jump(AHEAD_MS);
  try {
    return await act();
  } finally {
    clock.jump(-AHEAD_MS);
  }
}

/** Repeats a call until a limit refuses it. Returns how many ms the answer asks to wait. */
async function useUp(call: () => Promise<{ status: number; headers: Headers }>): Promise<number> {
  for (let count = 0; count < 2_000; count++) {
    const answer = await call();
    if (answer.status === 429) return Number(answer.headers.get('retry-after')) * 1_000;
  }
  throw new Error('no limit was reached');
}

describeAnyDatabase('After the clock was 400 days ahead and is right again', (open) => {
  it('a rate limit in memory lasts no longer than its window', async () => {
    const api = await startApi(open);
    const visit = () => api.send('/api/status/nobody');
    expect(await ahead(api, () => useUp(visit))).toBeLessThanOrEqual(MINUTE_MS);
    const refused = await visit();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    api.clock.advance(MINUTE_MS);
    expect((await visit()).status).toBe(404);
    promise('clocks');
  });

  it('a rate limit in the database lasts no longer than its window', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const guess = () =>
      createClient(api.send).ask(CALLS.signIn, { body: { email: alice.email, password: 'a wrong guess' } });
    await ahead(api, () => useUp(guess));
    const refused = await guess();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    api.clock.advance(15 * MINUTE_MS);
    expect((await guess()).status).toBe(401);
    promise('clocks');
  });

  it('a status page shows changes that were made before the jump', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const shop = await addUnchecked(alice, 'shop.example.com');
    await alice.ask(CALLS.saveStatusPage, { body: { title: 'Fjord', slug: 'fjord', enabled: true } });
    const state = async () =>
      CALLS.publicStatus.response.parse(await (await api.send('/api/status/fjord')).json()).data.state;
    expect(await ahead(api, state)).toBe('unknown');
    await recordCheck(api, shop);
    api.clock.advance(5_000);
    expect(await state()).toBe('up');
  });

  it('sessions and tokens from before the jump stay valid, and a token still shows its last use', async () => {
    const api = await startApi(open);
    const { alice, anonymous } = await api.cast();
    const body = { name: 'CI', scopes: ['read'], expires_in_days: null };
    const { secret } = (await alice.ask(CALLS.makeToken, { body })).ok.data;
    const read = () =>
      createClient(api.send).ask(CALLS.listDomains, { headers: { authorization: `Bearer ${secret}` } });
    await ahead(api, async () => {
      expect((await alice.ask(CALLS.standing)).status).toBe(401);
      expect((await read()).status).toBe(200);
    });
    expect((await alice.ask(CALLS.standing)).status).toBe(200);
    expect((await anonymous.ask(CALLS.standing)).status).toBe(401);
    expect((await read()).status).toBe(200);
    const [shown] = (await alice.ask(CALLS.listTokens)).ok.data;
    expect(Date.parse(shown?.last_used_at ?? '')).toBeLessThanOrEqual(api.clock.now());
  });
});

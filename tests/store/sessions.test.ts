import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  endAllSessions,
  endOldestSessions,
  endSession,
  findSession,
  listSessions,
  openSession,
  rotateSession,
  type SessionClient,
} from '../../server/store/accounts/sessions.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, MINUTE, NOW, person } from './samples.ts';
import { promise } from '../security/promise.ts';

const GRACE = 10_000;

describeEachDatabase('sessions', (open) => {
  it('accept the newest access token until it expires', async () => {
    const store = await signedIn(await open());
    const at = (now: number, accessHash = 'access 0') =>
      findSession(store, { sessionId: 'session', accessHash, now });
    expect(await at(NOW + 15 * MINUTE - 1)).toMatchObject({ account: { email: 'alice@example.com' } });
    expect(await at(NOW + 15 * MINUTE)).toBeNull();
    expect(await at(NOW, 'guessed')).toBeNull();
    expect(await findSession(store, { sessionId: 'other', accessHash: 'access 0', now: NOW })).toBeNull();
  });

  it('replace the access token when they are refreshed', async () => {
    const store = await signedIn(await open());
    expect(await rotate(store, 0, NOW + 15 * MINUTE)).toMatchObject({ outcome: 'rotated' });
    const at = (accessHash: string) =>
      findSession(store, { sessionId: 'session', accessHash, now: NOW + 16 * MINUTE });
    expect(await at('access 0')).toBeNull();
    expect(await at('access 1')).not.toBeNull();
    promise('7.2.2');
  });

  it('give parallel refreshes the same new token, and only one of them rotates the session', async () => {
    const store = await signedIn(await open());
    const results = await Promise.all(Array.from({ length: 6 }, () => rotate(store, 0, NOW)));
    const outcomes = results.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['rotated', ...Array<string>(5).fill('same_successor')]);
  });

  it('end when a used refresh token is presented after the grace period', async () => {
    const store = await signedIn(await open());
    await rotate(store, 0, NOW);
    const ended: unknown[] = [];
    store.signals.subscribe((signal) => ended.push(signal));
    expect(await rotate(store, 0, NOW + GRACE)).toEqual({ outcome: 'revoked' });
    expect(await rotate(store, 1, NOW + GRACE)).toEqual({ outcome: 'unknown' });
    expect(ended).toEqual([expect.objectContaining({ topic: 'session_ended', sessionId: 'session' })]);
    promise('sessions');
    promise('7.4.1');
  });

  it('end when a token older than the previous one is presented, even in the grace period', async () => {
    const store = await signedIn(await open());
    await rotate(store, 0, NOW);
    await rotate(store, 1, NOW + 1);
    expect(await rotate(store, 0, NOW + 2)).toEqual({ outcome: 'revoked' });
    expect(await findSession(store, { sessionId: 'session', accessHash: 'access 2', now: NOW })).toBeNull();
  });

  it('cannot be refreshed after their idle expiry or after their absolute expiry', async () => {
    const store = await signedIn(await open());
    expect(await rotate(store, 0, NOW + 14 * DAY)).toEqual({ outcome: 'unknown' });

    const busy = await signedIn(await open());
    for (const [turn, day] of [10, 20, 29].entries()) await rotate(busy, turn, NOW + day * DAY);
    expect(await rotate(busy, 3, NOW + 30 * DAY - 1)).toMatchObject({ outcome: 'rotated' });
    expect(await rotate(busy, 4, NOW + 30 * DAY)).toEqual({ outcome: 'unknown' });
    promise('7.3.2');
  });

  it('can be ended one at a time or all at once for an account, each time with a signal', async () => {
    const store = await signedIn(await open());
    const alice = await person(store, 'alice');
    await openSession(store, newSession(alice.id, 'second'));
    const ended: unknown[] = [];
    store.signals.subscribe((signal) => ended.push(signal));
    await endSession(store, 'session');
    await endSession(store, 'session');
    await endAllSessions(store, alice.id);
    expect(ended).toEqual([
      { topic: 'session_ended', accountId: alice.id, sessionId: 'session' },
      { topic: 'session_ended', accountId: alice.id, sessionId: null },
    ]);
    expect(await rotate(store, 0, NOW, 'second')).toEqual({ outcome: 'unknown' });
  });

  it('are listed with client and time of last use, most recent first', async () => {
    const store = await signedIn(await open());
    const alice = await person(store, 'alice');
    const laptop = { userAgent: 'Firefox\0', address: '198.51.100.7' };
    await openSession(store, { ...newSession(alice.id, 'second'), seenFrom: laptop, signedInAt: NOW + 1 });
    await openSession(store, newSession((await person(store, 'bob')).id, 'of bob'));
    await rotate(store, 0, NOW + MINUTE, 'session', { userAgent: 'x'.repeat(999), address: '2001:db8::1' });
    expect(await listSessions(store, alice.id, NOW + MINUTE)).toEqual([
      {
        id: 'session',
        userAgent: 'x'.repeat(300),
        address: '2001:db8::1',
        createdAt: NOW,
        lastUsedAt: NOW + MINUTE,
      },
      {
        id: 'second',
        userAgent: 'Firefox',
        address: '198.51.100.7',
        createdAt: NOW + 1,
        lastUsedAt: NOW + 1,
      },
    ]);
    expect(await listSessions(store, alice.id, NOW + 14 * DAY)).toMatchObject([{ id: 'session' }]);
  });

  it('cannot be ended for another account', async () => {
    const store = await signedIn(await open());
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    expect(await endSession(store, 'session', bob.id)).toBe(false);
    expect(await rotate(store, 0, NOW)).toMatchObject({ outcome: 'rotated' });
    expect(await endSession(store, 'session', alice.id)).toBe(true);
  });

  it('are pruned once they can no longer be refreshed', async () => {
    const store = await signedIn(await open());
    expect(await deleteExpired(store, 'sessions', NOW + 14 * DAY - 1)).toBe(0);
    expect(await deleteExpired(store, 'sessions', NOW + 14 * DAY)).toBe(1);
  });

  it('are pruned beyond 200 per account, oldest first', async () => {
    const store = await signedIn(await open());
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    await openSession(store, { ...newSession(bob.id, 'of bob'), signedInAt: NOW - DAY });
    for (let index = 1; index <= 203; index++)
      await openSession(store, { ...newSession(alice.id, `session ${index}`), signedInAt: NOW + index });
    expect(await endOldestSessions(store)).toBe(4);
    const left = await store.db.selectFrom('sessions').select('id').orderBy('created_at').execute();
    expect(left.slice(0, 2)).toEqual([{ id: 'of bob' }, { id: 'session 4' }]);
    promise('7.1.2');
  });
});

async function signedIn(store: Store): Promise<Store> {
  await openSession(store, newSession((await person(store, 'alice')).id, 'session'));
  return store;
}

function newSession(accountId: string, sessionId: string) {
  return {
    sessionId,
    accountId,
    accessHash: 'access 0',
    refreshHash: 'refresh 0',
    accessExpiresAt: NOW + 15 * MINUTE,
    refreshIdleExpiresAt: NOW + 14 * DAY,
    refreshExpiresAt: NOW + 30 * DAY,
    signedInAt: NOW,
  };
}

/** Refreshes the session with the refresh token of a turn. Each token is derived from its predecessor, as in the API. */
function rotate(store: Store, turn: number, now: number, sessionId = 'session', seenFrom?: SessionClient) {
  return rotateSession(store, {
    sessionId,
    refreshHash: `refresh ${turn}`,
    nextRefreshHash: `refresh ${turn + 1}`,
    nextAccessHash: `access ${turn + 1}`,
    accessExpiresAt: now + 15 * MINUTE,
    refreshIdleExpiresAt: now + 14 * DAY,
    ...(seenFrom && { seenFrom }),
    now,
    graceMs: GRACE,
  });
}

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { spreadOverdue } from '../../server/store/monitors/check-due.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, MINUTE, NOW, person, watch } from './samples.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const HERD = { lateMs: 2 * MINUTE, minOverdue: 3, overMs: 10 * MINUTE };

/** Creates monitors that were checked before and have been due for a day. Their certificates end in this many days. */
async function overdue(store: Store, accountId: string, endsInDays: (number | null)[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, days] of endsInDays.entries()) {
    const { id } = await watch(store, accountId, `host-${index}.example`);
    const not_after = days === null ? null : NOW + days * DAY;
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW - DAY, last_checked_at: NOW - 2 * DAY, not_after })
      .where('id', '=', id)
      .execute();
    ids.push(id);
  }
  return ids;
}

const dueAt = async ({ db }: Store, id: string) =>
  (await db.selectFrom('monitors').select('next_check_at').where('id', '=', id).executeTakeFirstOrThrow())
    .next_check_at;

describeEachDatabase('overdue checks', (open) => {
  it('are spread over ten minutes, those with the earliest expiry first', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = await overdue(store, accountId, [40, null, 3, 20, 80]);
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(5);
    const places = await Promise.all(ids.map(async (id) => ((await dueAt(store, id)) - NOW) / (2 * MINUTE)));
    expect(places).toEqual([2, 4, 0, 1, 3]);
    // Another worker that starts now finds nothing to do.
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(0);
  });

  it('are spread again after 40 minutes but not after 20, so that a lasting delay stays visible', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await overdue(store, accountId, Array<number>(9).fill(30));
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(9);
    expect(await spreadOverdue(store, { ...HERD, now: NOW + 20 * MINUTE })).toBe(0);
    expect(await spreadOverdue(store, { ...HERD, now: NOW + 40 * MINUTE })).toBe(9);
  });

  it('are spread only once enough of them are repeat checks', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = await overdue(store, accountId, Array<number>(9).fill(30));
    const added = { last_checked_at: null };
    await store.db.updateTable('monitors').set(added).where('id', 'in', ids.slice(3)).execute();
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(0);
    const checked = { last_checked_at: NOW - DAY };
    await store.db.updateTable('monitors').set(checked).where('id', 'in', ids).execute();
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(9);
  });

  it('are not spread while workers make progress', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = await overdue(store, accountId, Array<number>(9).fill(30));
    const checkedAt = (last_checked_at: number) =>
      store.db
        .updateTable('monitors')
        .set({ last_checked_at })
        .where('id', '=', ids[0] ?? '')
        .execute();
    await checkedAt(NOW - MINUTE);
    expect(await spreadOverdue(store, { ...HERD, now: NOW, onlyIfIdle: true })).toBe(0);
    await checkedAt(NOW - 3 * MINUTE);
    expect(await spreadOverdue(store, { ...HERD, now: NOW, onlyIfIdle: true })).toBe(9);
  });

  it('are not spread if they are few', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = await overdue(store, accountId, [1, 2, 3]);
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(0);
    expect(await dueAt(store, ids[0] ?? '')).toBe(NOW - DAY);
  });

  it('are not spread if requested, never checked, leased, paused or only a minute late', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = await overdue(store, accountId, Array<number>(9).fill(30));
    const [asked = '', added = '', leased = '', paused = '', late = ''] = ids;
    const change = (id: string, set: object) =>
      store.db.updateTable('monitors').set(set).where('id', '=', id).execute();
    await change(asked, { check_requested_at: NOW });
    await change(added, { last_checked_at: null });
    await change(leased, { lease_token: 'token', lease_expires_at: Date.now() + DAY });
    await change(paused, { active: 0, paused_by: 'user', paused_at: NOW });
    await change(late, { next_check_at: NOW - MINUTE });
    expect(await spreadOverdue(store, { ...HERD, now: NOW })).toBe(4);
    for (const id of [asked, added, leased, paused]) expect(await dueAt(store, id)).toBe(NOW - DAY);
    expect(await dueAt(store, late)).toBe(NOW - MINUTE);
  });

  it('are spread once by two workers that start together, evenly over ten minutes', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await overdue(store, accountId, [30]);
    const sample = await store.db.selectFrom('monitors').selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: 999 }, (_, index) => ({
      ...sample,
      id: randomUUID(),
      host: `shop-${index}.example`,
    }));
    for (let at = 0; at < rows.length; at += 100)
      await store.db
        .insertInto('monitors')
        .values(rows.slice(at, at + 100))
        .execute();
    const moved = await Promise.all([1, 2].map(() => spreadOverdue(store, { ...HERD, now: NOW })));
    expect(moved.reduce((sum, count) => sum + count)).toBe(1_000);
    const claim = { leaseMs: MINUTE, claimedBy: 'test', limit: 1_000 };
    for (const minute of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      const workers = [1, 2].map(() => claimDue(store, { ...claim, now: NOW + minute * MINUTE }));
      const claimed = (await Promise.all(workers)).flat();
      expect(Math.abs(claimed.length - 100)).toBeLessThanOrEqual(1);
      await store.db
        .updateTable('monitors')
        .set({ next_check_at: NOW + DAY, lease_token: null, lease_expires_at: null })
        .where('lease_token', 'is not', null)
        .execute();
    }
  });
});

import { expect, it } from 'vitest';
import { grantPremium } from '../../server/store/accounts.ts';
import { isDown } from '../../server/store/incidents.ts';
import { type MonitorKey, presentedChain } from '../../server/store/monitors.ts';
import type { Store } from '../../server/store/open-store.ts';
import { prunePast } from '../../server/store/retention.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';

describeEachDatabase('what is kept of the past', (open) => {
  it('is what the plan shows and a week more, and what was shown in it', async () => {
    const store = await open();
    const free = await watchedFor(store, 'free', 120);
    const premium = await watchedFor(store, 'premium', 120);
    const now = NOW + 120 * DAY;
    await grantPremium(store, premium.accountId, { grant: { endsAt: null }, now });
    await prunePast(store, now);
    expect(await rowsOf(store, free)).toEqual({ runs: 3, days: 2, outages: 3, evidence: 3, verdicts: 3 });
    expect(await rowsOf(store, premium)).toEqual({
      runs: 20,
      days: 19,
      outages: 20,
      evidence: 20,
      verdicts: 20,
    });
    expect(await presentedChain(store, free)).toHaveLength(1);
    expect(await prunePast(store, now)).toBe(0);
  });

  it('is all of it for a week after the end of Premium', async () => {
    const store = await open();
    const key = await watchedFor(store, 'alice', 60);
    const end = NOW + 60 * DAY;
    await grantPremium(store, key.accountId, { grant: { endsAt: end }, now: end - DAY });
    await prunePast(store, end + 6 * DAY);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 13 });
    await prunePast(store, end + 8 * DAY);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 2 });
  });

  it('is all of the window where everybody has Premium', async () => {
    const store = await open({ everyonePremium: true });
    const key = await watchedFor(store, 'alice', 60);
    expect(await prunePast(store, NOW + 60 * DAY)).toBe(0);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 13 });
  });

  it('reaches every monitor, however many there are', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const keys: MonitorKey[] = [];
    for (let index = 0; index < 3; index++)
      keys.push({ accountId, monitorId: (await watch(store, accountId, `host${index}.example`)).id });
    await store.db
      .insertInto('monitors')
      .values(
        Array.from({ length: 450 }, (_, index) => ({
          ...{ account_id: accountId, id: `${index}`, host: `other${index}.example`, port: 443, revoked: 0 },
          ...{ check_every_minutes: 1440, created_at: NOW, next_check_at: NOW + 9 * DAY },
        })),
      )
      .execute();
    for (const day of [0, 1]) for (const _ of keys) await check(store, NOW + day * DAY, [certificate()]);
    expect(await prunePast(store, NOW + 30 * DAY)).toBe(6);
    for (const key of keys) expect(await rowsOf(store, key)).toMatchObject({ runs: 1, evidence: 1 });
  });
});

const EVERY_DAYS = 5;

/** A monitor of somebody who shows another certificate at each check, and was down a day before. */
async function watchedFor(store: Store, name: string, days: number): Promise<MonitorKey> {
  const { id: accountId } = await person(store, name);
  const { id: monitorId } = await watch(store, accountId, `${name}.example`);
  for (let day = 0; day <= days; day += EVERY_DAYS) {
    await check(store, NOW + day * DAY, [certificate()]);
    await store.db
      .insertInto('incidents')
      .values({
        ...{ account_id: accountId, monitor_id: monitorId, id: `${name} ${day}`, problem: 'down' },
        ...{ fingerprint: '', recovered: 1, facts: '{}', cause: '', message: '' },
        ...{ started_at: NOW + (day - 1) * DAY, confirmed_at: NOW, ended_at: NOW + (day - 1) * DAY + 1 },
      })
      .execute();
  }
  return { accountId, monitorId };
}

async function rowsOf(store: Store, { accountId, monitorId }: MonitorKey) {
  const count = async (table: 'check_runs' | 'monitor_days' | 'incidents' | 'evidence' | 'verdicts') => {
    const of = store.db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'));
    const row = await (table === 'incidents' ? of.where(isDown) : of)
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .executeTakeFirstOrThrow();
    return row.count;
  };
  return {
    runs: await count('check_runs'),
    days: await count('monitor_days'),
    outages: await count('incidents'),
    evidence: await count('evidence'),
    verdicts: await count('verdicts'),
  };
}

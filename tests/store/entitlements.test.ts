import { expect, it } from 'vitest';
import { entitlementAt, mayAdd, mayResume, mayUseFrequency } from '../../server/core/plan.ts';
import { findAccount, grantPremium } from '../../server/store/accounts/accounts.ts';
import { applyEntitlement } from '../../server/store/billing/entitlements.ts';
import { setFrequency } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, MINUTE, NOW, person, watch } from './samples.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { pauseMonitor, resumeMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { promise } from '../security/promise.ts';

const END = NOW + 10 * DAY;

describeEachDatabase('the end of Premium', (open) => {
  it('keeps the three oldest domains active, checks them daily and pauses the others', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 5, everyMinutes: 15 });
    await revoke(store, accountId, NOW + DAY);
    expect(await domains(store, accountId)).toEqual([
      ['host0.example', 1440, 1, null],
      ['host1.example', 1440, 1, null],
      ['host2.example', 1440, 1, null],
      ['host3.example', 1440, 0, 'plan'],
      ['host4.example', 1440, 0, 'plan'],
    ]);
    expect(await findAccount(store, accountId)).toMatchObject({
      entitlement: { plan: 'free', status: '', source: 'none', endsAt: null },
    });
  });

  it('does not count domains that their owner paused, and leaves them paused', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 5 });
    const [first] = await ids(store, accountId);
    await pauseMonitor(store, { accountId, monitorId: first ?? '', now: NOW });
    await revoke(store, accountId, NOW + DAY);
    expect((await domains(store, accountId)).map(([, , , pausedBy]) => pausedBy)).toEqual([
      'user',
      null,
      null,
      null,
      'plan',
    ]);
    await grant(store, accountId, null, NOW + 2 * DAY);
    expect((await domains(store, accountId)).map(([, , , pausedBy]) => pausedBy)).toEqual([
      'user',
      null,
      null,
      null,
      null,
    ]);
  });

  it('queues one mail with the paused domains and the former source of Premium', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 4 });
    await revoke(store, accountId, NOW + DAY);
    await revoke(store, accountId, NOW + 2 * DAY);
    const mails = await store.db
      .selectFrom('mails')
      .selectAll()
      .where('kind', '=', 'premium_ended')
      .execute();
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({
      account_id: accountId,
      recipient: 'alice@example.com',
      kind: 'premium_ended',
      state: 'waiting',
      next_attempt_at: NOW + DAY,
    });
    expect(JSON.parse(mails[0]?.data ?? '')).toEqual({
      source: 'grant',
      paused: [{ host: 'host3.example', port: 443 }],
    });
  });

  it('queues a mail that tells two paused backends of one host apart', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 3 });
    const targets = ['{"connect_to":"10.0.0.7"}', '{"connect_to":"10.0.0.8"}'];
    for (const [index, target] of targets.entries())
      await watch(store, accountId, 'backend.example', { target, now: NOW + MINUTE + index });
    await revoke(store, accountId, NOW + DAY);
    const { data } = await store.db
      .selectFrom('mails')
      .select('data')
      .where('kind', '=', 'premium_ended')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(data ?? '')).toMatchObject({
      paused: targets.map((target) => ({ host: 'backend.example', port: 443, target })),
    });
  });

  it('is reversed when Premium returns, which makes the paused domains due at once', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 5 });
    for (let done = 0; done < 5; done++) await check(store, NOW + 5 * MINUTE, [certificate()]);
    await revoke(store, accountId, NOW + DAY / 2);
    const now = NOW + DAY / 2 + MINUTE;
    expect(await claimDue(store, { now, limit: 9, leaseMs: 1, claimedBy: 'x' })).toEqual([]);
    await inTransaction(store, async (trx) => {
      await trx.updateTable('accounts').set({ granted_at: now }).where('id', '=', accountId).execute();
      expect(await applyEntitlement(store, trx, { accountId, now })).toBe(true);
      expect(await applyEntitlement(store, trx, { accountId, now })).toBe(false);
      const due = await trx.selectFrom('monitors').select('host').where('next_check_at', '=', now).execute();
      expect(due.map(({ host }) => host).toSorted()).toEqual(['host3.example', 'host4.example']);
    });
    const claimed = await claimDue(store, { now, limit: 9, leaseMs: 1, claimedBy: 'x' });
    expect(claimed.map(({ host }) => host).toSorted()).toEqual(['host3.example', 'host4.example']);
  });

  it('takes effect at its time, even before a worker pauses domains', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 4, everyMinutes: 10, endsAt: END });
    const monitorId = (await ids(store, accountId))[3] ?? '';
    const attempts = async (now: number) => {
      const added = await addMonitor(store, { ...NEW, accountId, host: `at-${now}.example`, now });
      const frequency = await setFrequency(store, {
        accountId,
        monitorId,
        minutes: 10,
        now,
        mayUse: (plan) => mayUseFrequency(plan, 10),
      });
      await pauseMonitor(store, { accountId, monitorId, now });
      const resumed = await resumeMonitor(store, { accountId, monitorId, now, mayResume });
      const [claimed] = await claimDue(store, { now, limit: 1, leaseMs: 1, claimedBy: 'x' });
      return {
        ok: [added.ok, frequency.ok, resumed.ok],
        plan: claimed?.plan,
        everyMinutes: claimed?.checkEveryMinutes,
      };
    };
    expect(await attempts(END - 1)).toEqual({ ok: [true, true, true], plan: 'premium', everyMinutes: 10 });
    expect(await attempts(END)).toEqual({ ok: [false, false, false], plan: 'free', everyMinutes: 1440 });
    const account = await findAccount(store, accountId);
    if (!account) throw new Error('the account is gone');
    expect(entitlementAt(store, account.entitlement, END - 1).plan).toBe('premium');
    expect(entitlementAt(store, account.entitlement, END)).toMatchObject({ plan: 'free', status: '' });
  });

  it('is applied even if domains are added, changed or resumed at the same time', async () => {
    const store = await open();
    const accountId = await premium(store, { hosts: 6, everyMinutes: 15 });
    const monitors = await ids(store, accountId);
    await Promise.all([
      revoke(store, accountId, NOW + DAY),
      ...Array.from({ length: 4 }, (_, index) =>
        addMonitor(store, { ...NEW, accountId, host: `late${index}.example`, now: NOW + DAY }),
      ),
      ...monitors.map((monitorId) =>
        setFrequency(store, {
          accountId,
          monitorId,
          minutes: 15,
          now: NOW + DAY,
          mayUse: (plan) => mayUseFrequency(plan, 15),
        }),
      ),
      ...monitors.map((monitorId) =>
        resumeMonitor(store, { accountId, monitorId, now: NOW + DAY, mayResume }),
      ),
    ]);
    const after = await domains(store, accountId);
    expect(after.filter(([, , active]) => active === 1)).toHaveLength(3);
    expect(new Set(after.map(([, minutes]) => minutes))).toEqual(new Set([1440]));
    promise('plan-limits');
    promise('8.3.1');
  });
});

describeEachDatabase('a deployment where everyone has Premium', (open) => {
  it('adds and keeps any number of domains, and leaves the stored entitlement of an account unchanged', async () => {
    const store = await open({ everyonePremium: true });
    const accountId = await premium(store, { hosts: 5, everyMinutes: 15 });
    await revoke(store, accountId, NOW + DAY);
    expect((await domains(store, accountId)).every(([, minutes, active]) => minutes === 15 && active)).toBe(
      true,
    );
    const added = await addMonitor(store, { ...NEW, accountId, host: 'more.example', now: NOW + DAY });
    expect(added.ok).toBe(true);
    // The only mail is the welcome mail, which every account gets with its first domain.
    expect(await store.db.selectFrom('mails').select('kind').execute()).toEqual([{ kind: 'reached_you' }]);
    const account = await findAccount(store, accountId);
    expect(account?.entitlement.plan).toBe('free');
    expect(account && entitlementAt(store, account.entitlement, NOW)).toEqual({
      plan: 'premium',
      status: 'active',
      source: 'deployment',
      endsAt: null,
    });
  });
});

const NEW = { port: 443, protocol: 'https' as const, checkEveryMinutes: 1440, mayAdd };

/** Creates Alice on Premium with host0, host1 and so on, each 1 ms younger than the one before. */
async function premium(
  store: Store,
  {
    hosts,
    everyMinutes = 1440,
    endsAt = null,
  }: { hosts: number; everyMinutes?: number; endsAt?: number | null },
): Promise<string> {
  const { id: accountId } = await person(store, 'alice');
  await grant(store, accountId, endsAt, NOW);
  for (let index = 0; index < hosts; index++) {
    const { id: monitorId } = await watch(store, accountId, `host${index}.example`, { now: NOW + index });
    await setFrequency(store, { accountId, monitorId, minutes: everyMinutes, now: NOW, mayUse: () => true });
  }
  return accountId;
}

const grant = (store: Store, accountId: string, endsAt: number | null, now: number) =>
  grantPremium(store, accountId, { grant: { endsAt }, now });
const revoke = (store: Store, accountId: string, now: number) =>
  grantPremium(store, accountId, { grant: null, now });

/** Returns host, minutes between checks, active flag and who paused it, oldest first. */
async function domains(store: Store, accountId: string) {
  const rows = await store.db
    .selectFrom('monitors')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => [row.host, row.check_every_minutes, row.active, row.paused_by] as const);
}

async function ids(store: Store, accountId: string): Promise<string[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  return rows.map(({ id }) => id);
}

import { expect, it, onTestFinished, vi } from 'vitest';
import { findAccount, grantPremium } from '../../server/store/accounts/accounts.ts';
import { setFrequency } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { TRUST_EVERY_CHECK } from '../kit/product/stand-ins.ts';
import { createPlanLoop } from '../../server/worker/account-loops.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { person, watch } from '../store/samples.ts';
import { START, startRig, until } from './rig.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

describeEachDatabase('The plan loop', (open) => {
  it('applies the end of Premium on time: pauses domains, slows checks and sends a mail', async () => {
    const rig = await startRig(await open());
    const { store, accountId } = rig;
    const end = START + HOUR_MS;
    const [first, , , fourth] = [
      await rig.watch('a.example', undefined, { everyMinutes: 10 }),
      await rig.watch('b.example', undefined, { everyMinutes: 10 }),
      await rig.watch('c.example', undefined, { everyMinutes: 10 }),
      await rig.watch('d.example', undefined, { everyMinutes: 10 }),
    ];
    // Gives the domains different ages in this order: all were added at the same instant of the rig's clock.
    for (const [index, host] of ['a', 'b', 'c', 'd'].entries())
      await store.db
        .updateTable('monitors')
        .set({ created_at: START + index })
        .where('host', '=', `${host}.example`)
        .execute();
    await grantPremium(store, accountId, { grant: { endsAt: end }, now: START });

    await rig.runUntil(end - 1);
    expect(await rig.read(fourth)).toMatchObject({ pausedBy: null, checkEveryMinutes: 10 });
    await rig.runUntil(end);
    expect(await rig.read(fourth)).toMatchObject({ pausedBy: 'plan', checkEveryMinutes: 1440 });
    expect(await rig.read(first)).toMatchObject({ pausedBy: null, checkEveryMinutes: 1440 });
    expect(rig.arrivals).toHaveLength(1);
    expect(rig.arrivals[0]?.text).toContain('d.example');

    await rig.runUntil(end + 2 * DAY_MS);
    const checks = await checkedAt(store, fourth.id);
    expect(checks.filter((at) => at > end)).toEqual([]);
    // One check was scheduled before Premium ended. After that one, checks are a day apart.
    const daily = (await checkedAt(store, first.id)).filter((at) => at > end);
    expect(daily.length).toBeLessThanOrEqual(3);
    expect((daily[1] ?? 0) - (daily[0] ?? 0)).toBeGreaterThan(20 * HOUR_MS);
  });

  it('wakes at the next plan end and stops without waiting for a later one', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await grantPremium(store, accountId, { grant: { endsAt: Date.now() + 250 }, now: Date.now() });
    const log = quiet();
    const loop = createPlanLoop({
      ownNetwork: TRUST_EVERY_CHECK,
      store,
      clock: { now: () => Date.now() },
      log,
    });
    loop.start();
    await until(async () => (await findAccount(store, accountId))?.entitlement.plan === 'free');
    await loop.stop(DAY_MS);
    expect(log.error).not.toHaveBeenCalled();
  });

  it('continues with other accounts if one fails', async () => {
    const store = await open();
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    for (const [index, { id }] of [alice, bob].entries()) {
      await watch(store, id, 'a.example');
      await grantPremium(store, id, { grant: { endsAt: START + index }, now: START - 1 });
    }
    // Stands for any failure with one account.
    const failing: Store = {
      ...store,
      signals: {
        ...store.signals,
        publish(signal) {
          if (signal.topic === 'account' && signal.accountId === alice.id) throw new Error('broken');
          store.signals.publish(signal);
        },
      },
    };
    const log = quiet();
    const loop = createPlanLoop({
      ownNetwork: TRUST_EVERY_CHECK,
      store: failing,
      clock: { now: () => START + DAY_MS },
      log,
    });
    expect(await loop.runDue()).toBe(1);
    expect(log.error).toHaveBeenCalledTimes(1);
    expect((await findAccount(store, bob.id))?.entitlement.plan).toBe('free');
  });

  it('resumes domains that the end of a plan had paused once everybody has Premium', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await grantPremium(store, accountId, { grant: { endsAt: null }, now: START });
    for (let index = 0; index < 5; index++)
      await watch(store, accountId, `host${index}.example`, { now: START + index });
    await grantPremium(store, accountId, { grant: null, now: START + 10 });
    expect(await running(store)).toBe(3);

    const generous = { ...store, everyonePremium: true };
    const loop = createPlanLoop({
      ownNetwork: TRUST_EVERY_CHECK,
      store: generous,
      clock: { now: () => START + 20 },
      log: quiet(),
    });
    expect(await loop.runDue()).toBe(1);
    expect(await running(store)).toBe(5);
    expect(await loop.runDue()).toBe(0);
  });

  it('applies the Free plan and sends mails once Premium is no longer for everybody', async () => {
    const store = await open();
    const [alice, bob, charlie] = [
      await person(store, 'alice'),
      await person(store, 'bob'),
      await person(store, 'charlie'),
    ];
    await grantPremium(store, bob.id, { grant: { endsAt: null }, now: START });
    for (const { id } of [alice, bob])
      for (let index = 0; index < 5; index++)
        await watch(store, id, `host${index}.example`, { now: START + index });
    const { id: monitorId } = await watch(store, charlie.id, 'often.example');
    await setFrequency(store, {
      accountId: charlie.id,
      monitorId,
      minutes: 10,
      now: START,
      mayUse: () => true,
    });

    const loop = createPlanLoop({
      ownNetwork: TRUST_EVERY_CHECK,
      store,
      clock: { now: () => START + 20 },
      log: quiet(),
    });
    expect(await loop.runDue()).toBe(2);
    expect(await running(store)).toBe(3 + 5 + 1);
    const mails = await mailsOfEnds(store);
    expect(mails.map(({ account_id, data }) => [account_id, JSON.parse(data ?? '').source])).toEqual([
      [alice.id, 'deployment'],
    ]);
    expect(await loop.runDue()).toBe(0);
  });

  it('restores Premium that ended only because the clock ran ahead', async () => {
    const rig = await startRig(await open());
    const { store, accountId } = rig;
    await grantPremium(store, accountId, { grant: { endsAt: START + DAY_MS }, now: START });
    rig.clock.set(START + 1_000 * DAY_MS);
    await rig.runDue();
    expect((await findAccount(store, accountId))?.entitlement.plan).toBe('free');
    rig.clock.set(START + HOUR_MS);
    await rig.worker.sweep();
    expect((await findAccount(store, accountId))?.entitlement).toMatchObject({
      plan: 'premium',
      endsAt: START + DAY_MS,
    });
    expect(rig.log.warn).toHaveBeenCalledTimes(1);
    await rig.worker.sweep();
    expect(rig.log.warn).toHaveBeenCalledTimes(1);
  });
});

it.skipIf(!hasDatabase('postgres'))('Several workers apply a plan’s end once', async () => {
  const database = await freshDatabase('postgres');
  onTestFinished(() => database.remove());
  const stores = await Promise.all(Array.from({ length: 4 }, () => database.open()));
  const [store] = stores as [Store];
  for (let index = 0; index < 6; index++) {
    const { id } = await person(store, `person${index}`);
    await grantPremium(store, id, { grant: { endsAt: START + 1 }, now: START });
    for (let host = 0; host < 5; host++) await watch(store, id, `host${host}.example`, { now: START + host });
  }
  const log = quiet();
  const done = await Promise.all(
    stores.map((one) =>
      createPlanLoop({
        ownNetwork: TRUST_EVERY_CHECK,
        store: one,
        clock: { now: () => START + 2 },
        log,
      }).runDue(),
    ),
  );
  expect(done.reduce((sum, each) => sum + each, 0)).toBe(6);
  expect(await running(store)).toBe(18);
  expect(await mailsOfEnds(store)).toHaveLength(6);
  expect(log.error).not.toHaveBeenCalled();
});

const quiet = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

async function running(store: Store): Promise<number> {
  return (await store.db.selectFrom('monitors').select('id').where('active', '=', 1).execute()).length;
}

async function mailsOfEnds(store: Store) {
  return store.db.selectFrom('mails').selectAll().where('kind', '=', 'premium_ended').execute();
}

async function checkedAt(store: Store, monitorId: string): Promise<number[]> {
  return (await checksMade(store, monitorId)).map(({ at }) => at);
}

import { expect, it } from 'vitest';
import { mayAdd, mayUseFrequency } from '../../server/core/plan.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import {
  findMonitor,
  removeMonitor,
  requestCheck,
  setFrequency,
} from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  DAY,
  MINUTE,
  NOW,
  person,
  recordSample,
  watch,
} from './samples.ts';
import { certificateHistory } from '../../server/store/checks/certificate-history.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

describeEachDatabase('monitors', (open) => {
  it('are due at once when they are added, and publish signals', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));
    const monitor = await watch(store, alice.id, 'www.example.org');
    expect(monitor).toMatchObject({
      accountId: alice.id,
      host: 'www.example.org',
      port: 443,
      nextCheckAt: NOW,
      lastCheckedAt: null,
      checking: false,
      certificate: null,
      verdict: null,
    });
    expect(signals).toEqual([
      { topic: 'due' },
      { topic: 'domain', accountId: alice.id, monitorId: monitor.id, change: 'added' },
      // The first monitor of an account queues the welcome mail.
      { topic: 'mails' },
    ]);
    expect(await findMonitor(store, { accountId: alice.id, monitorId: monitor.id })).toEqual(monitor);
  });

  it('never exceed the limit of the plan when they are added in parallel', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const adds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => add(store, alice.id, `host${index}.example`)),
    );
    expect(adds.filter(({ ok }) => ok)).toHaveLength(3);
    expect(adds.filter((added) => !added.ok && added.code === 'limit_reached')).toHaveLength(9);
    await grantPremium(store, alice.id, { grant: { endsAt: null }, now: NOW });
    expect(await add(store, alice.id, 'another.example')).toMatchObject({ ok: true });
  });

  it('exist once per endpoint of an account; adding it again returns the existing one', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const adds = await Promise.all(Array.from({ length: 6 }, () => add(store, alice.id, 'a.example')));
    expect(adds.filter(({ ok }) => ok)).toHaveLength(1);
    await add(store, alice.id, 'b.example');
    await add(store, alice.id, 'c.example');
    expect(await add(store, alice.id, 'a.example')).toMatchObject({
      ok: false,
      code: 'exists',
      existing: { host: 'a.example' },
    });
    const bob = await person(store, 'bob');
    expect(await add(store, bob.id, 'a.example')).toMatchObject({ ok: true });
  });

  it('cannot be read or changed by another account', async () => {
    const store = await open();
    const [alice, charlie] = [await person(store, 'alice'), await person(store, 'charlie')];
    const { id: monitorId } = await watch(store, alice.id, 'www.example.org');
    const key = { accountId: charlie.id, monitorId };
    expect(await findMonitor(store, key)).toBeNull();
    expect(await certificateHistory(store, key)).toBeNull();
    expect(await requestCheck(store, { ...key, now: NOW })).toBeNull();
    expect(await removeMonitor(store, { ...key, now: NOW })).toBeNull();
    expect(await setFrequency(store, { ...key, minutes: 1440, now: NOW, mayUse: () => true })).toEqual({
      ok: false,
      code: 'not_found',
    });
    expect(await findMonitor(store, { accountId: alice.id, monitorId })).not.toBeNull();
  });

  it('are not found after their removal', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const { id: monitorId } = await watch(store, alice.id, 'www.example.org');
    await check(store, NOW, [certificate()]);
    const key = { accountId: alice.id, monitorId };
    expect(await removeMonitor(store, { ...key, now: NOW })).toMatchObject({
      id: monitorId,
      certificate: { issuer: 'R10' },
    });
    expect(await removeMonitor(store, { ...key, now: NOW })).toBeNull();
    expect(await findMonitor(store, key)).toBeNull();
  });

  it('keep an interval that is set while a check is running', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await grantPremium(store, accountId, { grant: { endsAt: null }, now: NOW });
    const { id: monitorId } = await watch(store, accountId, 'www.example.org');
    const claimed = await claimOne(store, NOW);
    await setFrequency(store, { accountId, monitorId, minutes: 15, now: NOW, mayUse: () => true });
    await recordSample(store, checkOf(claimed, NOW + MINUTE, [certificate()]));
    expect(await claimOne(store, NOW + MINUTE)).toMatchObject({ id: monitorId, checkEveryMinutes: 15 });
  });

  it('accept only the intervals of the plan', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const { id: monitorId } = await watch(store, alice.id, 'www.example.org');
    const change = (minutes: number) =>
      setFrequency(store, {
        accountId: alice.id,
        monitorId,
        minutes,
        now: NOW + 5 * MINUTE,
        mayUse: (plan) => mayUseFrequency(plan, minutes),
      });
    await check(store, NOW, [certificate()]);
    expect(await change(15)).toEqual({ ok: false, code: 'limit_reached' });
    await grantPremium(store, alice.id, { grant: { endsAt: null }, now: NOW });
    expect(await change(15)).toMatchObject({
      ok: true,
      monitor: { checkEveryMinutes: 15, nextCheckAt: NOW + 15 * MINUTE },
    });
    // A longer interval must not delay a check that is planned for another reason.
    expect(await change(1440)).toMatchObject({
      monitor: { checkEveryMinutes: 1440, nextCheckAt: NOW + 15 * MINUTE },
    });
  });

  it('become due at once, for one check only, when a check is requested', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const { id: monitorId } = await watch(store, alice.id, 'www.example.org');
    await check(store, NOW, [certificate()]);
    const now = NOW + MINUTE;
    expect(await requestCheck(store, { accountId: alice.id, monitorId, now })).toMatchObject({
      checking: true,
      nextCheckAt: now,
    });
    await check(store, now, [certificate()]);
    expect(await findMonitor(store, { accountId: alice.id, monitorId })).toMatchObject({
      checking: false,
      nextCheckAt: now + DAY,
    });
  });

  it('are checked once more if a check is requested while one is running', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const { id: monitorId } = await watch(store, alice.id, 'www.example.org');
    const running = await claimOne(store, NOW);
    await requestCheck(store, { accountId: alice.id, monitorId, now: NOW + 1 });
    expect(await claimDue(store, { now: NOW + 1, limit: 9, leaseMs: 9, claimedBy: 'x' })).toEqual([]);

    await recordSample(store, checkOf(running, NOW + 2, [certificate()]));
    expect(await findMonitor(store, { accountId: alice.id, monitorId })).toMatchObject({ checking: true });
    await check(store, NOW + 3, [certificate()]);
    expect(await findMonitor(store, { accountId: alice.id, monitorId })).toMatchObject({
      checking: false,
      nextCheckAt: NOW + 3 + DAY,
    });
  });
});

function add(store: Store, accountId: string, host: string) {
  return addMonitor(store, {
    accountId,
    host,
    port: 443,
    protocol: 'https',
    checkEveryMinutes: 1440,
    now: NOW,
    mayAdd,
  });
}

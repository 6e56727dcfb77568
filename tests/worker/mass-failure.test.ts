import { expect, it, onTestFinished } from 'vitest';
import { raisedAlarms } from '../../server/store/alerts/alarms.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase, freshDatabase } from '../kit/databases/database.ts';
import { type Rig, START, startRig } from './rig.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { promise } from '../security/promise.ts';

const BY = START + MINUTE_MS;

const hostsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}.example`);

/** Watches the hosts. They share a certificate, because minting one for each would take longer than the rest of the test. */
async function watchAll(rig: Rig, hosts: readonly string[], accountId = rig.accountId) {
  const certificate = rig.issue('shared.example', { dnsNames: [...hosts] });
  for (const host of hosts) await rig.watch(host, certificate, { accountId });
}

/** Creates five accounts with `hostsEach` healthy hosts each, and one host of another account. All are checked again at `BY`. */
async function busyRig(store: Store, hostsEach: number) {
  const rig = await startRig(store);
  for (const name of ['bob', 'carol', 'dave', 'erin', 'frank'])
    await watchAll(rig, hostsOf(name, hostsEach), await rig.arrive(name));
  const victim = await rig.arrive('victor');
  return { rig, theirs: await rig.watch('victim.example', undefined, { accountId: victim }) };
}

async function expectBelieved(rig: Rig, monitor: Monitor) {
  rig.reachable('victim.example', false);
  await rig.runUntil(BY + 30_000);
  expect(await rig.read(monitor)).toMatchObject({ uptime: 'down', downSince: BY });
  expect(await raisedAlarms(rig.store)).toEqual([]);
}

describeAnyDatabase('Without canaries, a worker for several accounts', (open) => {
  it('confirms an outage at the second check while 12 hosts of another account fail', async () => {
    const { rig, theirs } = await busyRig(await open(), 4);
    const own = hostsOf('own', 12);
    await watchAll(rig, own);
    await rig.runDue();
    for (const host of own) rig.reachable(host, false);
    await expectBelieved(rig, theirs);
    promise('delayed-alerts');
  });

  it('confirms no outage while the hosts of all accounts fail', async () => {
    const { rig } = await busyRig(await open(), 4);
    await rig.runDue();
    for (const host of rig.dns.entries.keys()) rig.reachable(host, false);
    await rig.runUntil(BY + 2 * MINUTE_MS);
    expect(await rig.store.db.selectFrom('incidents').select('problem').execute()).toEqual([]);
    expect(await raisedAlarms(rig.store)).toMatchObject([{ code: 'network_cut' }]);
  });
});

// Runs on one database only: 160 hosts take long, and this rule does not query the database.
it('Without canaries, a worker confirms an outage at the second check despite 60 names that never resolved', async () => {
  const database = await freshDatabase('sqlite');
  onTestFinished(() => database.remove());
  const { rig, theirs } = await busyRig(await database.open(), 20);
  await rig.runDue();
  rig.clock.set(BY - 1);
  for (const host of hostsOf('nowhere', 60)) await rig.add(host, rig.port);
  await expectBelieved(rig, theirs);
}, 240_000);

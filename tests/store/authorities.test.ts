import { expect, it } from 'vitest';
import { addAuthorities, listAuthorities, removeAuthority } from '../../server/store/accounts/authorities.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, claimOne, DAY, MINUTE, NOW, person, watch } from './samples.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { promise } from '../security/promise.ts';

function authority(subject: string) {
  const { der, facts } = certificate({ subject });
  return { der, facts: { ...facts, subjectFullDn: `CN=${subject}` } };
}
const [one, two] = [authority('One'), authority('Two')];

async function trust(store: Store, accountId: string, authorities = [one], now = NOW) {
  const trusted = await addAuthorities(store, { accountId, authorities, max: 2, now });
  return trusted === 'too_many' ? trusted : trusted.map(({ facts }) => facts.subject);
}
const subjectsOf = async (store: Store, accountId: string) =>
  (await listAuthorities(store.db, accountId)).map(({ facts }) => facts.subject);

describeEachDatabase('private CAs', (open) => {
  it('belong to one account, are stored once and are listed newest first', async () => {
    const store = await open();
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    expect(await trust(store, alice.id)).toEqual(['One']);
    expect(await trust(store, alice.id, [one, two], NOW + 1)).toEqual(['Two', 'One']);
    expect(await trust(store, bob.id)).toEqual(['One']);
    expect(await subjectsOf(store, alice.id)).toEqual(['Two', 'One']);
    expect(await subjectsOf(store, bob.id)).toEqual(['One']);
    const [first] = await listAuthorities(store.db, alice.id);
    const removal = { id: first?.id ?? '', now: NOW };
    expect(await removeAuthority(store, { accountId: bob.id, ...removal })).toBe(false);
    expect(await removeAuthority(store, { accountId: alice.id, ...removal })).toBe(true);
    expect(await subjectsOf(store, alice.id)).toEqual(['One']);
  });

  it('are limited per account, also when they are added at the same time', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    const others = ['a', 'b', 'c', 'd', 'e'].map(authority);
    const outcomes = await Promise.all(others.map((each) => trust(store, id, [each])));
    expect(outcomes.filter((outcome) => outcome === 'too_many')).toHaveLength(3);
    expect(await listAuthorities(store.db, id)).toHaveLength(2);
  });

  it('are returned with each claimed monitor of their account', async () => {
    const store = await open();
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    await trust(store, alice.id, [one, two]);
    await watch(store, alice.id, 'alice.example');
    await watch(store, bob.id, 'bob.example');
    const claimed = await claimDue(store, { now: NOW, limit: 9, leaseMs: 1_000, claimedBy: 'test' });
    const byHost = new Map(claimed.map(({ host, authorities }) => [host, authorities]));
    expect(
      byHost
        .get('alice.example')
        ?.map((der) => Buffer.from(der).toString('hex'))
        .toSorted(),
    ).toEqual([one, two].map(({ der }) => Buffer.from(der).toString('hex')).toSorted());
    expect(byHost.get('bob.example')).toEqual([]);
    promise('private-authorities');
  });

  it('make the checks of their account due 125 ms apart when one is added', async () => {
    const store = await open();
    const [alice, bob] = [await person(store, 'alice'), await person(store, 'bob')];
    const hosts = ['a.example', 'b.example', 'c.example'];
    for (const host of hosts) await watch(store, alice.id, host);
    await watch(store, bob.id, 'd.example');
    for (let count = 0; count < 4; count++) await check(store, NOW, [certificate()]);
    const signals: string[] = [];
    store.signals.subscribe(({ topic }) => signals.push(topic));

    await trust(store, alice.id, [one], NOW + MINUTE);
    expect(signals).toEqual(['due']);
    const due = await store.db
      .selectFrom('monitors')
      .select('next_check_at')
      .orderBy('next_check_at')
      .execute();
    expect(due.map(({ next_check_at: at }) => at - NOW)).toEqual([
      ...[1, 2, 3].map((place) => MINUTE + place * 125),
      DAY,
    ]);
    // An authority that is already stored makes no check due.
    await trust(store, alice.id, [one], NOW + 2 * MINUTE);
    expect(signals).toEqual(['due']);
  });

  it('that are added during a check cause another check', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id: monitorId } = await watch(store, accountId, 'a.example');
    await claimOne(store, NOW);
    await trust(store, accountId);
    expect(await findMonitor(store, { accountId, monitorId })).toMatchObject({ checkRequestedAt: NOW });
  });
});

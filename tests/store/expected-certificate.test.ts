import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { CertificateFacts } from '../../server/core/facts.ts';
import { expectCertificate } from '../../server/store/alerts/deployments.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import {
  certificate,
  check,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  type SampleCertificate,
  watch,
} from './samples.ts';
import { promise } from '../security/promise.ts';

const HOST = 'a.shop.example';
const issuedAt = (notBefore: number) => certificate({ sans: [HOST], notBefore, notAfter: NOW + 80 * DAY });
const announced = issuedAt(NOW);

describeEachDatabase('a certificate that a user announced', (open, name) => {
  /** Returns the alerts that follow if a host serves this certificate until the deadline. */
  async function alertsAfter(served: SampleCertificate): Promise<string[]> {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    const see = (now: number) => checkHost(store, HOST, now, served);
    const alerts = async () => {
      const rows = await store.db.selectFrom('alerts').select(['kind', 'step']).execute();
      return rows.map(({ kind, step }) => `${kind} ${step}`);
    };
    await see(NOW);
    const dueAt = NOW + 60 * MINUTE;
    const certificate = { facts: announced.facts, names: (host: string) => host === HOST };
    const found = await expectCertificate(store, { accountId, certificate, hosts: null, dueAt, now: NOW });
    expect(found.total).toBe(1);
    await see(NOW + 10 * MINUTE);
    expect(await alerts()).toEqual([]);
    await see(dueAt);
    return alerts();
  }

  it.each([
    ['a day before it', issuedAt(NOW - DAY)],
    ['half an hour before it', issuedAt(NOW - 30 * MINUTE)],
    ['at the same time', issuedAt(NOW)],
  ])('leads to an alert at the deadline if the host serves one that was issued %s', async (_, served) => {
    expect(await alertsAfter(served)).toEqual(['not_deployed opened']);
  });

  it('leads to no alert if the host serves it, or a later one', async () => {
    expect(await alertsAfter(announced)).toEqual([]);
    expect(await alertsAfter(issuedAt(NOW + MINUTE))).toEqual([]);
  });

  it('is refused on a domain that waits for five others, until the domain serves a later one', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    for (const host of [HOST, 'b.shop.example']) await watch(store, accountId, host);
    const announce = (change: Partial<Parameters<typeof expectCertificate>[1]> = {}) =>
      expectCertificate(store, {
        accountId,
        certificate: { facts: issuedAt(NOW).facts, names: () => true },
        hosts: [HOST],
        dueAt: NOW + DAY,
        now: NOW,
        ...change,
      });
    for (let count = 0; count < store.limits.expectationsPerDomain; count++)
      expect((await announce()).full).toBeNull();
    const refused = await announce({ hosts: null });
    expect(refused.full?.host).toBe(HOST);
    const unfinished = store.db.selectFrom('incident_members').select('id').where('ended_at', 'is', null);
    expect(await unfinished.execute()).toHaveLength(store.limits.expectationsPerDomain);
    expect((await announce({ hosts: ['b.shop.example'] })).full).toBeNull();

    const later = issuedAt(NOW + MINUTE);
    for (const host of [HOST, 'b.shop.example']) await checkHost(store, host, NOW + 2 * MINUTE, later);
    expect(await unfinished.execute()).toEqual([]);
    expect((await announce({ hosts: null })).full).toBeNull();
    promise('large-accounts');
  });

  it('is refused beyond five on a domain if several are announced at once', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    const { expectationsPerDomain: limit } = store.limits;
    const answers = await Promise.all(
      Array.from({ length: limit + 3 }, () =>
        expectCertificate(store, {
          accountId,
          certificate: { facts: issuedAt(NOW).facts, names: () => true },
          hosts: null,
          dueAt: NOW + DAY,
          now: NOW,
        }),
      ),
    );
    expect(answers.filter(({ full }) => full?.host === HOST)).toHaveLength(3);
    expect(await store.db.selectFrom('incident_members').select('id').execute()).toHaveLength(limit);
  });

  it('can be announced again on a domain that already waits for this one and four others', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    const announce = (facts: CertificateFacts, dueAt: number) =>
      expectCertificate(store, {
        accountId,
        certificate: { facts, names: () => true },
        hosts: null,
        dueAt,
        now: NOW,
      });
    const five = Array.from({ length: store.limits.expectationsPerDomain }, () => issuedAt(NOW).facts);
    for (const facts of five) await announce(facts, NOW + DAY);
    for (const facts of five) expect((await announce(facts, NOW + 2 * DAY)).full).toBeNull();
    const incidents = await store.db.selectFrom('incident_members').select('facts').execute();
    expect(incidents.map(({ facts }) => (JSON.parse(facts) as { dueAt: number }).dueAt)).toEqual(
      five.map(() => NOW + 2 * DAY),
    );
  });

  it('is written in several transactions, between which others write', async () => {
    let onFirstInsert = (): void => undefined;
    const store = await open({
      onQuery: ({ text }) => {
        if (text.startsWith('insert into "incidents"')) onFirstInsert();
      },
    });
    const { id: accountId } = await person(store, 'alice');
    const { id: other } = await person(store, 'bob');
    const monitor = {
      account_id: accountId,
      port: 443,
      check_every_minutes: 1440,
      created_at: NOW,
      revoked: 0,
    };
    await insertRows(
      store,
      'monitors',
      Array.from({ length: 1_100 }, (_, index) => ({
        ...monitor,
        id: randomUUID(),
        host: `h${index}.shop.example`,
        next_check_at: NOW + DAY,
      })),
    );
    const order: string[] = [];
    const isWritten = new Promise<void>((resolve) => {
      onFirstInsert = () => {
        onFirstInsert = () => undefined;
        void watch(store, other, HOST).then(() => resolve(void order.push('the other account’s domain')));
      };
    });
    const { total } = await expectCertificate(store, {
      accountId,
      certificate: { facts: announced.facts, names: () => true },
      hosts: null,
      dueAt: NOW + 60 * MINUTE,
      now: NOW,
    });
    order.push('the announcement');
    await isWritten;
    // PostgreSQL runs both at the same time, so any order is right there.
    if (name === 'sqlite') expect(order).toEqual(['the other account’s domain', 'the announcement']);
    expect(total).toBe(1_100);
    const expected = store.db
      .selectFrom('incident_members')
      .select((eb) => eb.fn.countAll<number>().as('count'));
    expect(await expected.where('account_id', '=', accountId).execute()).toEqual([{ count: total }]);
    const due = store.db
      .selectFrom('monitors')
      .select('id')
      .where('next_check_at', '=', NOW + 60 * MINUTE);
    expect(await due.execute()).toHaveLength(total);
  });
});

describeEachDatabase('a check of a domain with open incidents', (open) => {
  it('writes an incident only if its state changes', async () => {
    const queries: string[] = [];
    const store = await open({ onQuery: ({ text }) => void queries.push(text) });
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    const ending = endingSoon({ sans: [HOST] });
    const announce = async () => {
      const certificate = { facts: issuedAt(NOW).facts, names: () => true };
      await expectCertificate(store, {
        accountId,
        certificate,
        hosts: null,
        dueAt: NOW + 60 * MINUTE,
        now: NOW,
      });
    };
    await announce();
    await announce();
    await checkHost(store, HOST, NOW, ending);
    const writesAt = async (now: number) => {
      queries.length = 0;
      await checkHost(store, HOST, now, ending);
      return queries.filter((text) => text.startsWith('update "incident_members"')).length;
    };
    // The first and the last check change nothing. In the second check, both announced certificates become late.
    expect(await writesAt(NOW + 10 * MINUTE)).toBe(0);
    expect(await writesAt(NOW + 60 * MINUTE)).toBe(2);
    expect(await writesAt(NOW + 70 * MINUTE)).toBe(0);
    const incidents = await store.db
      .selectFrom('incident_members')
      .select(['problem', 'confirmed_at'])
      .execute();
    expect(incidents.map((row) => `${row.problem} ${row.confirmed_at}`).toSorted()).toEqual([
      `expiry ${NOW}`,
      `not_deployed ${NOW + 60 * MINUTE}`,
      `not_deployed ${NOW + 60 * MINUTE}`,
    ]);
  });
});

/** Records a check of the host that saw this certificate. */
async function checkHost(store: Store, host: string, now: number, served: SampleCertificate): Promise<void> {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: now + DAY })
    .execute();
  await store.db.updateTable('monitors').set({ next_check_at: now }).where('host', '=', host).execute();
  await check(store, now, [served]);
}

import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Finding } from '../../server/core/finding.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  countDeadlines,
  type DeadlineCursor,
  type DeadlineQuery,
  listDeadlines,
  publicLifetimes,
} from '../../server/store/monitors/deadline-list.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import { addDeadlines } from '../../server/store/schema/migrations/0040-deadlines.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkAddresses,
  checkOf,
  claimOne,
  DAY,
  NOW,
  person,
  recordCheck,
  recorded,
  type SampleCertificate,
  watch,
} from './samples.ts';

const RULE = 'server_auth_only';
const FROM = NOW + 60 * DAY;

const changes = (leaf: SampleCertificate, change: Partial<Finding> = {}): Finding => ({
  code: 'renewal_changes',
  severity: 'note',
  facts: { kind: 'renewal_changes', rule: RULE, from: FROM, evidence: { root: null, days: null } },
  addresses: ['192.0.2.1'],
  fingerprint: leaf.facts.fingerprint,
  keyType: null,
  attachment: null,
  ...change,
});
const leafFor = (host: string, change = {}) => certificate({ subject: host, sans: [host], ...change });

const stored = async ({ db }: Store) =>
  (await db.selectFrom('deadlines').selectAll().orderBy('first_seen_at').execute()).map((row) => [
    row.fingerprint,
    row.rule,
    row.from_at,
    row.first_seen_at,
    row.renewed_at,
  ]);

describeEachDatabase('The deadlines of certificates', (open) => {
  async function listed(store: Store, accountId: string, change: Partial<DeadlineQuery> = {}) {
    const query = {
      accountId,
      of: [RULE, 'replacement_wanted'],
      after: null,
      limit: 10,
      now: NOW,
      ...change,
    };
    const { certificates, total } = await listDeadlines(store, query);
    expect(total).toBe(certificates.length);
    return certificates.map(({ facts, doneAt, domain, domainCount }) => [
      facts?.subject,
      doneAt,
      domain?.host,
      domainCount,
    ]);
  }

  it('are written by the check that finds them, and not again by equal checks', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'mail.example');
    const leaf = leafFor('mail.example');
    const found = { findings: [changes(leaf)] };
    await check(store, NOW, [leaf], found);
    const row = [leaf.facts.fingerprint, RULE, FROM, NOW, null];
    expect(await stored(store)).toEqual([row]);
    const { watched, asked } = recorded(store);
    await check(watched, NOW + DAY, [leaf], found);
    expect(asked.filter((query) => query.includes('deadlines'))).toEqual([]);
    // A check that reads no certificate changes nothing.
    await check(store, NOW + 2 * DAY, []);
    expect(await stored(store)).toEqual([row]);
  });

  it('are not read or written by checks of certificates that no rule concerns', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'shop.example');
    const { watched, asked } = recorded(store);
    await check(watched, NOW, [leafFor('shop.example')]);
    expect(asked.filter((query) => query.includes('deadlines'))).toEqual([]);
  });

  it('count a certificate as renewed once no address of any domain serves it', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('*.shop.example');
    const [renewed, other] = [leafFor('*.shop.example'), leafFor('mail.example')];
    for (const host of ['a.shop.example', 'b.shop.example']) {
      await watch(store, accountId, host);
      await check(store, NOW, [leaf], { findings: [changes(leaf)], nextCheckAt: NOW + 9 * DAY });
    }
    await watch(store, accountId, 'mail.example');
    await check(store, NOW, [other], { findings: [changes(other)], nextCheckAt: NOW + 9 * DAY });
    const counts = async () =>
      (await countDeadlines(store, accountId)).map(({ rule, total, done }) => [rule, total, done]);
    expect(await counts()).toEqual([[RULE, 2, 0]]);

    const both = store.db.updateTable('monitors').set({ next_check_at: NOW + DAY });
    await both.where('host', '=', 'a.shop.example').execute();
    // One of two addresses still serves the former certificate.
    await checkAddresses(store, NOW + DAY, [renewed, leaf], {
      findings: [changes(leaf)],
      nextCheckAt: NOW + 2 * DAY,
    });
    expect(await listed(store, accountId)).toEqual(
      [
        ['*.shop.example', null, 'a.shop.example', 2],
        ['mail.example', null, 'mail.example', 1],
      ].toSorted(() => (leaf.facts.fingerprint < other.facts.fingerprint ? 0 : -1)),
    );
    await check(store, NOW + 2 * DAY, [renewed], { nextCheckAt: NOW + 9 * DAY });
    expect(await counts()).toEqual([[RULE, 2, 0]]);
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW + 3 * DAY })
      .where('host', '=', 'b.shop.example')
      .execute();
    // The check before it reads nothing.
    await check(store, NOW + 3 * DAY, [], { nextCheckAt: NOW + 4 * DAY });
    await check(store, NOW + 4 * DAY, [renewed], { nextCheckAt: NOW + 9 * DAY });
    expect(await counts()).toEqual([[RULE, 2, 1]]);
    expect(await listed(store, accountId)).toEqual([
      ['mail.example', null, 'mail.example', 1],
      ['*.shop.example', NOW + 4 * DAY, expect.stringMatching(/^[ab]\.shop\.example$/), 2],
    ]);
    const found = async (q: string) => (await listed(store, accountId, { q })).map(([subject]) => subject);
    expect(await found('b.shop')).toEqual(['*.shop.example']);
    expect(await found('mail')).toEqual(['mail.example']);
    const { id: stranger } = await person(store, 'bob');
    expect(await listed(store, stranger)).toEqual([]);
    expect(await countDeadlines(store, stranger)).toEqual([]);
  });

  it('name only the new certificate after a server changed to another one with the same deadline', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'mail.example');
    const [first, second, third] = [1, 2, 3].map(() => leafFor('mail.example')) as [
      SampleCertificate,
      SampleCertificate,
      SampleCertificate,
    ];
    await check(store, NOW, [first], { findings: [changes(first)] });
    await check(store, NOW + DAY, [second], { findings: [changes(second)] });
    expect(await stored(store)).toEqual([[second.facts.fingerprint, RULE, FROM, NOW + DAY, null]]);
    await check(store, NOW + 2 * DAY, [third]);
    expect(await stored(store)).toEqual([[second.facts.fingerprint, RULE, FROM, NOW + DAY, NOW + 2 * DAY]]);
    // After the day of the rule, the row of the replaced certificate is deleted.
    expect(await deleteExpired(store, 'deadlines', FROM + 89 * DAY)).toBe(0);
    expect(await deleteExpired(store, 'deadlines', FROM + 90 * DAY)).toBe(1);
  });

  it('end without a renewal if clients accept the certificate again after the day', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'mail.example');
    const leaf = leafFor('mail.example');
    const evidence = { root: 'Aging Root', days: null };
    const facts = { kind: 'refused_from' as const, rule: 'root_expires', from: NOW + DAY, evidence };
    const { fingerprint } = leaf.facts;
    await check(store, NOW, [leaf], {
      findings: [changes(leaf, { code: 'refused_from', severity: 'upcoming', facts, clients: ['firefox'] })],
    });
    const fault = { kind: 'distrusted_root' as const, root: 'Aging Root', trustedUntil: NOW };
    await check(store, NOW + DAY, [leaf], {
      findings: [
        changes(leaf, { code: 'distrusted_root', severity: 'warning', facts: fault, clients: ['firefox'] }),
      ],
    });
    expect(await stored(store)).toEqual([[fingerprint, 'root_expires', NOW + DAY, NOW, null]]);
    await check(store, NOW + 2 * DAY, [leaf]);
    expect(await stored(store)).toEqual([]);
  });

  it('also list the certificates whose CA asked for a replacement', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id } = await watch(store, accountId, 'ari.example');
    const leaf = leafFor('ari.example');
    const window = { start: NOW, end: NOW + 2 * DAY, explanationUrl: null };
    const facts = { kind: 'replacement_wanted' as const, window, hasBegun: true };
    await check(store, NOW, [leaf], { findings: [changes(leaf, { code: 'replacement_wanted', facts })] });
    expect(await countDeadlines(store, accountId)).toMatchObject([
      { rule: 'replacement_wanted', total: 1, done: 0, changedAt: NOW },
    ]);
    await check(store, NOW + DAY, [leafFor('ari.example')]);
    expect(await countDeadlines(store, accountId)).toMatchObject([
      { rule: 'replacement_wanted', total: 1, done: 1, changedAt: NOW + DAY },
    ]);
    await removeMonitor(store, { accountId, monitorId: id, now: NOW + DAY });
    expect(await stored(store)).toEqual([]);
  });

  it('count a certificate of two domains once, although its CA changed the renewal window between their checks', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('*.shop.example');
    for (const [host, end] of [
      ['a.shop.example', NOW + 2 * DAY],
      ['b.shop.example', NOW + 3 * DAY],
    ] as const) {
      await watch(store, accountId, host);
      const window = { start: NOW, end, explanationUrl: null };
      const facts = { kind: 'replacement_wanted' as const, window, hasBegun: true };
      const findings = [changes(leaf, { code: 'replacement_wanted', facts })];
      await check(store, NOW, [leaf], { findings, nextCheckAt: NOW + 9 * DAY });
    }
    expect(await listed(store, accountId)).toHaveLength(1);
    expect(await countDeadlines(store, accountId)).toMatchObject([
      { rule: 'replacement_wanted', fromAt: NOW + 3 * DAY, total: 1, done: 0 },
    ]);
  });

  it('know the lifetimes of certificates with a public root only', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const path = [
      { fingerprint: 'f', name: 'R', role: 'anchor' as const, notAfter: NOW, source: 'sent' as const },
    ];
    const lives = (host: string, days: number) =>
      leafFor(host, { notBefore: NOW - DAY, notAfter: NOW + (days - 1) * DAY - 1_000 });
    for (const [host, days, hasOwnRoot] of [
      ['long.example', 200, false],
      ['short.example', 90, false],
      ['brief.example', 90, false],
      ['own.example', 365, true],
      ['broken.example', 365, null],
    ] as const) {
      await watch(store, accountId, host);
      const leaf = lives(host, days);
      const sample = checkOf(await claimOne(store, NOW), NOW, [leaf]);
      const isValid = hasOwnRoot === null ? {} : { path, hasOwnRoot };
      await recordCheck(store, { ...sample, verdict: { ...sample.verdict, ...isValid } });
    }
    const lifetimes = await publicLifetimes(store, accountId);
    expect(lifetimes.toSorted((a, b) => a.lifetimeMs - b.lifetimeMs)).toEqual([
      { lifetimeMs: 90 * DAY, certificates: 2 },
      { lifetimeMs: 200 * DAY, certificates: 1 },
    ]);
    // The migration reads the same from the stored verdicts.
    const db = store.db as Kysely<unknown>;
    await sql`drop table deadlines`.execute(db);
    await sql`drop index certificates_lifetimes`.execute(db);
    await sql`alter table certificates drop column public_root`.execute(db);
    await addDeadlines(db, store.dialect);
    expect((await publicLifetimes(store, accountId)).length).toBe(2);
    const limit = (days: number) =>
      listed(store, accountId, { of: { rule: 'lifetime', fromAt: FROM, days } });
    expect(await limit(100)).toEqual([['long.example', null, 'long.example', 1]]);
    expect(await limit(200)).toEqual([]);
    expect((await limit(89)).map(([subject]) => subject)).toHaveLength(3);
    const brief = { q: 'brief', of: { rule: 'lifetime', fromAt: FROM, days: 47 } };
    expect(await listed(store, accountId, brief)).toEqual([['brief.example', null, 'brief.example', 1]]);
  });

  it('are listed page by page without gaps, those to renew first', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    for (let index = 0; index < 7; index++) {
      const leaf = leafFor(`h${index}.example`, { notAfter: NOW + (index % 3) * DAY });
      await watch(store, accountId, `h${index}.example`);
      await check(store, NOW, [leaf], { findings: [changes(leaf)], nextCheckAt: NOW + 90 * DAY });
    }
    await store.db
      .updateTable('deadlines')
      .set({ renewed_at: NOW })
      .where(
        'monitor_id',
        'in',
        store.db.selectFrom('monitors').select('id').where('host', 'in', ['h0.example', 'h4.example']),
      )
      .execute();
    const base = { accountId, of: [RULE], limit: 2, now: NOW };
    const found = [];
    for (let after: DeadlineCursor | null = null; ;) {
      const page = await listDeadlines(store, { ...base, after });
      expect(page.total).toBe(7);
      found.push(...page.certificates);
      if (page.next === null) break;
      after = page.next;
    }
    expect(found.map(({ doneAt }) => doneAt)).toEqual([null, null, null, null, null, NOW, NOW]);
    expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(7);
    const offset = await listDeadlines(store, { ...base, after: null, offset: 4 });
    expect(offset.certificates).toEqual(found.slice(4, 6));
    expect(await listDeadlines(store, { ...base, after: null, offset: 40 })).toMatchObject({
      total: 7,
      next: null,
    });
  });
});

import { type Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { certificateStory } from '../../server/store/checks/certificate-story.ts';
import { deleteUnwatchedCertificates } from '../../server/store/checks/certificates.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { listServedCertificates } from '../../server/store/monitors/certificate-list.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import { addOtherLeaves } from '../../server/store/schema/migrations/0031-other-leaves.ts';
import { type KeyChoice, selfSigned } from '../kit/certificates/mint.ts';
import { describeEachDatabase, freshDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkAddresses,
  DAY,
  NOW,
  person,
  recorded,
  type SampleCertificate,
  watch,
} from './samples.ts';

const wildcard = certificate({ subject: '*.shop.example', sans: ['*.shop.example'] });
const renewed = certificate({
  subject: '*.shop.example',
  sans: ['*.shop.example'],
  notBefore: NOW,
  notAfter: NOW + 90 * DAY,
});
const soon = certificate({ subject: 'soon.example', sans: ['soon.example'], notAfter: NOW + 5 * DAY });

/** Makes the monitor due a day after `NOW`. */
async function dueAgain({ db }: Store, id: string): Promise<void> {
  await db
    .updateTable('monitors')
    .set({ next_check_at: NOW + DAY })
    .where('id', '=', id)
    .execute();
}

describeEachDatabase('A certificate that only further addresses of a domain serve', (open, name) => {
  /** Adds two domains: one with an address that still serves the old certificate, and one that has changed completely. */
  async function half(own?: Store) {
    const store = own ?? (await open());
    const { id: accountId } = await person(store, 'alice');
    const { id: halfId } = await watch(store, accountId, 'half.shop.example');
    await checkAddresses(store, NOW, [wildcard, renewed], { nextCheckAt: NOW + DAY });
    const { id: allId } = await watch(store, accountId, 'all.shop.example');
    await check(store, NOW, [renewed], { nextCheckAt: NOW + 2 * DAY });
    await watch(store, accountId, 'soon.example');
    await check(store, NOW, [soon], { nextCheckAt: NOW + 2 * DAY });
    return { store, accountId, halfId, allId };
  }
  const listed = async (store: Store, accountId: string, filter: object = {}) => {
    const list = { accountId, sort: 'name' as const, after: null, limit: 10, now: NOW, ...filter };
    const { certificates, total } = await listServedCertificates(store, list);
    expect(total).toBe(certificates.length);
    return certificates.map(({ facts, monitorCount, monitors }) => [
      facts.fingerprint,
      monitorCount,
      ...monitors.map(({ host }) => host),
    ]);
  };
  const counts = ({ db }: Store) =>
    db.selectFrom('served_certificates').select(['fingerprint', 'domains']).orderBy('fingerprint').execute();

  it('is listed with the number and names of the domains that serve it, which later checks and removals update', async () => {
    const { store, accountId, halfId } = await half();
    const [old, later] = [wildcard.facts.fingerprint, renewed.facts.fingerprint];
    const other = [soon.facts.fingerprint, 1, 'soon.example'];
    const both = [later, 2, 'all.shop.example', 'half.shop.example'];
    const sorted = (rows: unknown[]) => rows.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    expect(sorted(await listed(store, accountId))).toEqual(
      sorted([[old, 1, 'half.shop.example'], both, other]),
    );
    await check(store, NOW + DAY, []);
    expect(await listed(store, accountId)).toHaveLength(3);
    await dueAgain(store, halfId);
    await checkAddresses(store, NOW + DAY, [renewed, renewed]);
    expect(sorted(await listed(store, accountId))).toEqual(sorted([both, other]));
    expect(await store.db.selectFrom('other_leaves').selectAll().execute()).toEqual([]);
    await dueAgain(store, halfId);
    await checkAddresses(store, NOW + DAY, [wildcard, renewed]);
    await removeMonitor(store, { accountId, monitorId: halfId, now: NOW });
    expect(await store.db.selectFrom('other_leaves').selectAll().execute()).toEqual([]);
    expect(sorted(await listed(store, accountId))).toEqual(sorted([[later, 1, 'all.shop.example'], other]));
  });

  it('is found by text, by tag and by its own expiry date', async () => {
    const { store, accountId, halfId, allId } = await half();
    await removeMonitor(store, { accountId, monitorId: allId, now: NOW });
    const describe = () => ({ notes: '', tags: ['shop'] });
    await updateDescription(store, { accountId, monitorId: halfId, describe });
    const found = async (filter: object) => (await listed(store, accountId, filter)).map(([one]) => one);
    const later = renewed.facts.fingerprint;
    expect(await found({ q: 'half' })).toContain(later);
    expect(await found({ tag: 'shop' })).toContain(later);
    expect(await found({ tag: 'none' })).toEqual([]);
    expect(await found({ status: 'ok' })).toContain(later);
    expect(await found({ status: 'critical' })).toEqual([soon.facts.fingerprint]);
    expect(await found({ status: 'revoked' })).toEqual([]);
    expect(await listed(store, accountId, { direction: 'desc' })).toEqual(
      (await listed(store, accountId)).toReversed(),
    );
    const list = { accountId, sort: 'name' as const, after: null, offset: 2, limit: 10, now: NOW };
    const rest = await listServedCertificates(store, list);
    expect([rest.total, rest.certificates.length]).toEqual([3, 1]);
    const beyond = await listServedCertificates(store, { ...list, offset: 10 });
    expect([beyond.total, beyond.certificates]).toEqual([3, []]);
    await pauseMonitor(store, { accountId, monitorId: halfId, now: NOW });
    // A pause does not change the state of a certificate.
    expect(await found({ status: 'ok' })).toContain(later);
    expect(await found({ status: 'paused' })).toContain(later);
  });

  it('is found by exactly the filters of the state and problem that its row shows', async () => {
    const { store, accountId, halfId } = await half();
    const list = { accountId, sort: 'name' as const, after: null, limit: 10, now: NOW };
    const fault = {
      severity: 'critical' as const,
      facts: { kind: 'other_names' as const, names: ['else.example'], total: 1 },
      addresses: [],
      keyType: null,
      attachment: null,
    };
    const { fingerprint } = renewed.facts;
    const cases: [object, string | null][] = [
      [
        { revoked: [{ fingerprint, key: 'r', source: 'crl', at: NOW, revokedAt: null, reason: null }] },
        'revoked',
      ],
      [
        { findings: [{ ...fault, code: 'name_mismatch' as const, fingerprint }], trusted: false },
        'wrong_name',
      ],
      [
        { findings: [{ ...fault, code: 'untrusted_root' as const, fingerprint }], trusted: false },
        'untrusted',
      ],
      [
        {
          findings: [
            { ...fault, severity: 'warning' as const, code: 'replacement_wanted' as const, fingerprint },
          ],
        },
        'flawed',
      ],
      [
        {
          findings: [
            { ...fault, severity: 'warning' as const, code: 'renewal_overdue' as const, fingerprint },
          ],
        },
        'overdue',
      ],
      [{}, null],
    ];
    for (const [change, problem] of cases) {
      await dueAgain(store, halfId);
      await checkAddresses(store, NOW + DAY, [wildcard, renewed], { nextCheckAt: NOW + 2 * DAY, ...change });
      const { certificates } = await listServedCertificates(store, list);
      expect(certificates.map((one) => [one.facts.fingerprint, one.problem])).toContainEqual([
        fingerprint,
        problem,
      ]);
      expect(certificates.filter((one) => one.problem !== null)).toHaveLength(Number(problem !== null));
      const found = async (status: string) =>
        (await listed(store, accountId, { status })).map(([one]) => one);
      expect(await found('problem')).toEqual(problem === null ? [] : [fingerprint]);
      expect(await found('revoked')).toEqual(problem === 'revoked' ? [fingerprint] : []);
      expect((await found('ok')).includes(fingerprint)).toBe(problem !== 'revoked');
      expect((await found('attention')).includes(fingerprint)).toBe(problem !== null);
      expect(await found('critical')).toEqual([soon.facts.fingerprint]);
      expect(await found('expiring')).toEqual([soon.facts.fingerprint]);
    }
    expect(
      await listed(store, accountId, { expires: { from: NOW + 80 * DAY, until: NOW + 99 * DAY } }),
    ).toHaveLength(1);
    expect(await listed(store, accountId, { issuer: 'Nobody' })).toEqual([]);
    expect(await listed(store, accountId, { issuer: wildcard.facts.authorityName })).toHaveLength(3);
  });

  it('counts as expiring only when its renewal is overdue if it is short-lived, like the domain’s own certificate', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'short.example');
    const [first, second] = [4, 5].map((days) =>
      certificate({ notBefore: NOW + (days - 6) * DAY, notAfter: NOW + days * DAY }),
    ) as [SampleCertificate, SampleCertificate];
    await checkAddresses(store, NOW, [first, second], { nextCheckAt: NOW + DAY });
    const expiring = async (now: number) =>
      (await listed(store, accountId, { status: 'expiring', sort: 'soonest', now })).map(([one]) => one);
    const [one, other] = [first.facts.fingerprint, second.facts.fingerprint];
    expect(await expiring(NOW)).toEqual([]);
    // A renewal is overdue when less than a quarter of the six days is left.
    expect(await expiring(NOW + 2.6 * DAY)).toEqual([one]);
    expect(await expiring(NOW + 3.6 * DAY)).toEqual([one, other]);
  });

  it('has a page with the domains that serve it, which are done only when all of their addresses have changed', async () => {
    const { store, accountId, halfId } = await half();
    const key = { accountId, after: null, limit: 9 };
    const shown = async ({ facts: { fingerprint } }: SampleCertificate) => {
      const story = (await certificateStory(store, { ...key, fingerprint })) ?? expect.fail();
      const { done, total, monitors, versions } = story;
      return {
        done,
        total,
        monitors: monitors.map(({ host, isServing, isDone }) => [host, { isServing, isDone }]),
        counts: versions.map(({ monitorCount }) => monitorCount),
      };
    };
    const [later, others] = [await shown(renewed), await shown(wildcard)];
    expect(later).toEqual({
      done: 1,
      total: 2,
      monitors: [
        ['half.shop.example', { isServing: true, isDone: false }],
        ['all.shop.example', { isServing: true, isDone: true }],
      ],
      counts: [2, 1],
    });
    expect(others).toMatchObject({ done: 2, total: 2, counts: [2, 1] });
    expect(others.monitors).toContainEqual(['half.shop.example', { isServing: true, isDone: true }]);
    expect(others.monitors).toContainEqual(['all.shop.example', { isServing: false, isDone: true }]);
    await dueAgain(store, halfId);
    await checkAddresses(store, NOW + DAY, [renewed, renewed]);
    expect(await shown(renewed)).toMatchObject({ done: 2, total: 2 });
  });

  it('counts as done although an earlier certificate with another type of key is still served', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const names = { subject: 'both.example', sans: ['both.example'] };
    const issued = (key: KeyChoice, days: number): SampleCertificate => {
      const { der, fingerprint } = selfSigned({ key });
      const validity = { notBefore: NOW + days * DAY, notAfter: NOW + 90 * DAY };
      return { der, facts: certificate({ ...names, ...validity, fingerprint }).facts };
    };
    const [oldRsa, oldEc, newRsa] = [issued('RSA-2048', -60), issued('P-256', -30), issued('RSA-2048', -1)];
    const { id } = await watch(store, accountId, 'both.example');
    const after = async (leaves: [SampleCertificate, ...SampleCertificate[]]) => {
      await dueAgain(store, id);
      await checkAddresses(store, NOW + DAY, leaves, { nextCheckAt: NOW + 2 * DAY });
      const key = { accountId, after: null, limit: 9, fingerprint: newRsa.facts.fingerprint };
      const story = await certificateStory(store, key);
      return story?.monitors.map(({ isDone }) => isDone);
    };
    await checkAddresses(store, NOW, [newRsa], { nextCheckAt: NOW + DAY });
    expect(await after([oldRsa, oldEc])).toEqual([false]);
    expect(await after([newRsa, oldRsa, oldEc])).toEqual([false]);
    expect(await after([newRsa, oldEc])).toEqual([true]);
    expect(await after([oldEc])).toEqual([false]);
  });

  it('is kept as long as a domain serves it at one address; the timeline counts that domain for its other certificate only', async () => {
    const { store, accountId } = await half();
    await store.db.deleteFrom('monitor_certificates').execute();
    expect(await store.db.transaction().execute((trx) => deleteUnwatchedCertificates(trx, null))).toBe(0);
    const { expiries } = await dashboardSummary(store, { accountId, now: NOW });
    expect(expiries.map(({ fingerprint, count }) => [fingerprint, count])).toEqual([
      [soon.facts.fingerprint, 1],
      [wildcard.facts.fingerprint, 1],
      [renewed.facts.fingerprint, 1],
    ]);
  });

  it('causes no write in a later check that finds the same certificates', async () => {
    const { store, halfId } = await half();
    const written: string[] = [];
    const { watched, asked } = recorded(store);
    await dueAgain(store, halfId);
    await checkAddresses(watched, NOW + DAY, [wildcard, renewed]);
    written.push(...asked.filter((query) => /^(insert|delete|update)/.test(query)));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((query) => query.includes('other_leaves'))).toEqual([]);
  });

  it('is found by the migration in the stored verdicts; damaged verdicts are ignored', async () => {
    // A database of its own instead of `open`: it lacks the columns of later migrations after this test, so no later test may
    // get it.
    const database = await freshDatabase(name);
    onTestFinished(() => database.remove());
    const { store, accountId } = await half(await database.open());
    await watch(store, accountId, 'damaged.shop.example');
    await checkAddresses(store, NOW, [wildcard, soon]);
    const columns = store.db
      .selectFrom('other_leaves')
      .select(['account_id', 'monitor_id', 'fingerprint', 'not_after', 'host', 'port'])
      .orderBy('host');
    const [, ...before] = await columns.execute();
    const { db, dialect } = store;
    const damaged = db.selectFrom('monitors').select('id').where('host', '=', 'damaged.shop.example');
    await db.deleteFrom('other_leaves').where('monitor_id', 'in', damaged).execute();
    const counted = await counts(store);
    await db
      .updateTable('verdicts')
      .set({ verdict: '{"addresses":' })
      .where('monitor_id', 'in', damaged)
      .execute();
    await db.deleteFrom('other_leaves').execute();
    const [ofTable, cascade] = dialect === 'postgres' ? [' on monitors', ' cascade'] : ['', ''];
    await sql.raw(`drop trigger monitor_without_leaves${ofTable}`).execute(db);
    await sql.raw(`drop table other_leaves${cascade}`).execute(db);
    if (dialect === 'postgres')
      await sql
        .raw('drop function other_leaf_served, other_leaf_unserved, monitor_without_leaves')
        .execute(db);
    // The column was added later, and a trigger of this migration inserts rows without it.
    if (dialect === 'sqlite') {
      await sql`drop trigger monitor_served`.execute(db);
      await sql`drop index served_certificates_issuer`.execute(db);
      await sql`alter table served_certificates drop column issuer`.execute(db);
    }
    await db.transaction().execute((trx) => addOtherLeaves(trx as unknown as Kysely<unknown>, dialect));
    expect(await columns.execute()).toEqual(before);
    expect(before).toHaveLength(1);
    expect(await counts(store)).toEqual(counted);
  });
});

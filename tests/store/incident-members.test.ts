import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../server/core/finding.ts';
import type { PostureVerdict } from '../../server/core/verdict.ts';
import { changeIncident, incidentsOf } from '../../server/store/alerts/monitor-incidents.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { type DatabaseName, DATABASES, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { type FormerIncident, restoreFormerIncidents } from '../kit/databases/former-incidents.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import {
  certificate,
  checkOf,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  POSTURE,
  recordCheck,
  type SampleCertificate,
  watch,
} from './samples.ts';

type Change = Parameters<typeof checkOf>[3] & { posture?: PostureVerdict };

const finding = (code: Finding['code'], facts: Finding['facts'], severity: Finding['severity']): Finding => ({
  code,
  severity,
  facts,
  addresses: [],
  fingerprint: null,
  keyType: null,
  attachment: null,
});
const leafOf = (host: string) => certificate({ subject: host, sans: [host], notAfter: NOW + 300 * DAY });
const [revoked, wanted, wildcard] = [leafOf('revoked'), leafOf('wanted'), endingSoon({ sans: ['*.expiry'] })];
// Less than a third of its lifetime is left, but more than a quarter. So its renewal is expected, but not overdue.
const old = certificate({ sans: ['deployed'], notBefore: NOW - 215 * DAY, notAfter: NOW + 85 * DAY });
const renewed = certificate({ sans: ['deployed'], notBefore: NOW, notAfter: NOW + 300 * DAY });
const [before, unexpected] = [leafOf('changed'), leafOf('changed')];
const registration = {
  outcome: 'expires' as const,
  domain: 'registered.example',
  expiresAt: NOW + 20 * DAY,
  registrar: null,
};
const window = { start: NOW - DAY, end: NOW + DAY, explanationUrl: null };

/** What the hosts with each problem show while it lasts; null if they do not answer. */
const SHOWN: Record<string, { leaf: SampleCertificate | null; hosts: number; change?: Change }> = {
  expiry: { leaf: wildcard, hosts: 3 },
  revoked: {
    leaf: revoked,
    hosts: 2,
    change: {
      revoked: [
        {
          ...revoked.facts,
          key: 'issuer',
          source: 'crl',
          at: NOW,
          revokedAt: NOW,
          reason: null,
          role: 'leaf',
          name: '',
          served: true,
        },
      ],
    },
  },
  replacement_wanted: {
    leaf: wanted,
    hosts: 2,
    change: {
      findings: [
        {
          ...finding('replacement_wanted', { kind: 'replacement_wanted', window, hasBegun: true }, 'warning'),
          fingerprint: wanted.facts.fingerprint,
        },
      ],
    },
  },
  registration: { leaf: leafOf('registered'), hosts: 2, change: { posture: { ...POSTURE, registration } } },
  not_deployed: { leaf: old, hosts: 3 },
  changed: { leaf: unexpected, hosts: 2 },
  wrong_name: {
    leaf: leafOf('else'),
    hosts: 1,
    change: {
      findings: [finding('name_mismatch', { kind: 'other_names', names: ['else'], total: 1 }, 'critical')],
    },
  },
  chain_broken: {
    leaf: leafOf('broken'),
    hosts: 1,
    change: { findings: [finding('untrusted_root', { kind: 'no_path' }, 'critical')] },
  },
  down: { leaf: null, hosts: 1 },
};
const fresh = leafOf('fresh');

/** Creates hosts with a reported incident of each problem, most of them on several hosts. */
async function reportedProblems(store: Store) {
  const { id: accountId } = await person(store, 'alice');
  await store.db.updateTable('accounts').set({ plan: 'premium' }).execute();
  const ids = new Map<string, string>();
  for (const [problem, { hosts }] of Object.entries(SHOWN))
    for (let index = 0; index < hosts; index++) {
      const host = `${index}.${problem.replace('_', '-')}.example`;
      ids.set(`${problem} ${index}`, (await watch(store, accountId, host)).id);
    }
  const see = async (host: string, now: number, leaf: SampleCertificate | null, change: Change = {}) => {
    const monitor = () => store.db.updateTable('monitors').where('id', '=', ids.get(host) ?? expect.fail());
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: now + DAY })
      .execute();
    await monitor().set({ next_check_at: now }).execute();
    const [claimed] = await claimDue(store, { now, limit: 1, leaseMs: 30_000, claimedBy: 'test' });
    const { posture = null, ...rest } = change;
    const made = checkOf(claimed ?? expect.fail(), now, leaf === null ? [] : [leaf], rest);
    await recordCheck(store, { ...made, verdict: { ...made.verdict, posture } });
  };
  /** Records a check of each host. All of them still show their problem. */
  const seeAll = async (now: number, except: readonly string[] = []) => {
    // Keep the outage open: it would end because checks had stopped.
    const outage = store.db.updateTable('monitors').where('down_since', 'is not', null);
    await outage.set({ down_seen_at: now - MINUTE }).execute();
    for (const host of ids.keys()) {
      const { leaf, change } = SHOWN[host.split(' ')[0] ?? ''] ?? expect.fail();
      if (!except.includes(host)) await see(host, now, host === 'not_deployed 0' ? renewed : leaf, change);
    }
  };
  const sent = async () => {
    const rows = await store.db
      .selectFrom('deliveries')
      .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
      .select(['kind', 'step', 'state'])
      .orderBy('deliveries.created_at')
      .execute();
    return rows.map(({ kind, step, state }) => `${kind} ${step} ${state}`).toSorted();
  };
  const deliverAll = (now: number) =>
    store.db
      .updateTable('deliveries')
      .set({ state: 'delivered', settled_at: now })
      .where('state', '=', 'waiting')
      .execute();
  const incident = async (host: string, problem: string) => {
    const key = { accountId, monitorId: ids.get(host) ?? expect.fail(), since: NOW - 9 * DAY };
    const all = await incidentsOf(store.db, key);
    return all.find((one) => one.problem === problem) ?? expect.fail(`${host} has no ${problem}`);
  };
  for (const index of [0, 1]) await see(`changed ${index}`, NOW - 2 * DAY, before);
  for (const index of [0, 1, 2]) await see(`not_deployed ${index}`, NOW - 2 * DAY, old);
  for (const now of [NOW - 2 * DAY + MINUTE, NOW - 2 * DAY + 2 * MINUTE, NOW - DAY + 3 * MINUTE])
    await seeAll(now);
  await deliverAll(NOW - DAY + 3 * MINUTE);
  return { accountId, ids, see, seeAll, sent, deliverAll, incident };
}

const REPORTED = [
  'chain_broken opened delivered',
  'changed opened delivered',
  'down opened delivered',
  'expiry critical delivered',
  'not_deployed opened delivered',
  'registration 30d delivered',
  'replacement_wanted opened delivered',
  'revoked revoked delivered',
  'wrong_name opened delivered',
];

/** Migrates a database with reported problems as the previous version stored them. */
async function migrateDatabase(
  name: DatabaseName,
  {
    prepare,
    edit,
  }: {
    prepare?: (world: Awaited<ReturnType<typeof reportedProblems>>, store: Store) => Promise<void>;
    edit?: (world: Awaited<ReturnType<typeof reportedProblems>>, db: Store['db']) => Promise<void>;
  } = {},
) {
  const database = await freshDatabase(name);
  onTestFinished(() => database.remove());
  const store = await database.open();
  const world = await reportedProblems(store);
  await prepare?.(world, store);
  const db = rawDatabase(database);
  onTestFinished(() => db.destroy());
  await restoreFormerIncidents(db, name);
  await edit?.(world, db);
  const { rows: former } = await sql<FormerIncident>`select * from incidents`.execute(db);
  const rowsOf = async () => [
    await db.selectFrom('alerts').selectAll().orderBy('id').execute(),
    await db.selectFrom('deliveries').selectAll().orderBy('id').execute(),
  ];
  const sentBefore = await rowsOf();
  await migrate(db, { dialect: name, name: 'The database' });
  return { ...world, store, former, sentBefore, sentAfter: await rowsOf() };
}

describe.each(DATABASES.filter(hasDatabase))('Incidents stored by the previous version (%s)', (name) => {
  it('keep their ids, acknowledgements, snoozes and alerts, and nothing is sent again', async () => {
    const { store, former, sent, sentBefore, sentAfter, seeAll, ...world } = await migrateDatabase(name, {
      prepare: async ({ accountId, incident, see, sent: queued, deliverAll }, open) => {
        expect(await queued()).toEqual(REPORTED);
        const change = async (host: string, what: Parameters<typeof changeIncident>[1]['change']) => {
          const { id: incidentId } = await incident(host, host.split(' ')[0] ?? '');
          await changeIncident(open, { accountId, incidentId, change: what, now: NOW - 60 * MINUTE });
        };
        await change('revoked 1', { acknowledged: true });
        await change('chain_broken 0', { acknowledged: true });
        await change('wrong_name 0', { snoozedUntil: NOW + 2 * DAY });
        // `expiry` has ended on one of its hosts. `replacement_wanted` has ended on both, and its end was reported.
        for (const at of [NOW - 50 * MINUTE, NOW - 45 * MINUTE]) {
          await see('expiry 2', at, fresh);
          for (const index of [0, 1]) await see(`replacement_wanted ${index}`, at, fresh);
        }
        await deliverAll(NOW - 40 * MINUTE);
        // The alert about the registration is held until the quiet hours end.
        await open.db
          .updateTable('deliveries')
          .set({ state: 'waiting', settled_at: null, next_attempt_at: NOW + DAY })
          .where(
            'alert_id',
            'in',
            open.db.selectFrom('alerts').select('id').where('kind', '=', 'registration'),
          )
          .execute();
      },
    });
    expect(former.filter(({ group_id }) => group_id !== null).length).toBeGreaterThanOrEqual(5);
    expect(sentAfter).toEqual(sentBefore);
    const members = await store.db.selectFrom('incident_members').select(['id', 'incident_id']).execute();
    const expected = former.map(({ id, group_id }) => ({ id, incident_id: group_id ?? id }));
    expect(new Set(members)).toEqual(new Set(expected));
    expect(await world.incident('revoked 0', 'revoked')).toMatchObject({ acknowledgedAt: NOW - 60 * MINUTE });
    expect(await world.incident('chain_broken 0', 'chain_broken')).toMatchObject({
      acknowledgedAt: NOW - 60 * MINUTE,
    });
    expect(await world.incident('wrong_name 0', 'wrong_name')).toMatchObject({ snoozedUntil: NOW + 2 * DAY });
    const before = await sent();
    expect(before).toEqual(
      [
        ...REPORTED.filter((one) => !one.startsWith('registration')),
        'registration 30d waiting',
        'replacement_wanted resolved delivered',
      ].toSorted(),
    );
    const fixed = ['expiry 2', 'replacement_wanted 0', 'replacement_wanted 1'];
    for (const minutes of [0, 1, 2]) await seeAll(NOW + minutes * MINUTE, fixed);
    expect(await sent()).toEqual(before);
  });

  it('are continued: the next step is sent once, and the end when the last domain is fixed', async () => {
    const { accountId, ids, store, sent, see, seeAll, deliverAll } = await migrateDatabase(name);
    await deliverAll(NOW);
    const later = NOW + 2 * DAY + MINUTE;
    for (const minutes of [0, 1]) await seeAll(later + minutes * MINUTE);
    const withStep = [...REPORTED, 'expiry three_days waiting'].toSorted();
    expect(await sent()).toEqual(withStep);
    await deliverAll(later + 2 * MINUTE);
    const fix = async (host: string, at: number) => {
      for (const minutes of [0, 2])
        await see(host, at + minutes * MINUTE, host.startsWith('not') ? renewed : fresh);
    };
    for (const host of ['expiry 0', 'expiry 1', 'not_deployed 1', 'revoked 0'])
      await fix(host, later + 5 * MINUTE);
    expect(await sent()).toEqual(withStep.map((one) => one.replace('waiting', 'delivered')));
    for (const host of ['expiry 2', 'not_deployed 2', 'wrong_name 0']) await fix(host, later + 10 * MINUTE);
    await removeMonitor(store, { accountId, monitorId: ids.get('revoked 1') ?? '', now: later });
    await see('revoked 0', later + 20 * MINUTE, fresh);
    const ends = (await sent()).filter((one) => one.includes('resolved'));
    expect(ends).toEqual(
      ['expiry', 'not_deployed', 'revoked', 'wrong_name'].map((kind) => `${kind} resolved waiting`),
    );
  });

  it('share their alerts even if these were sent for each domain and the first incident is gone', async () => {
    const { store, sent, seeAll } = await migrateDatabase(name, {
      edit: async (_, db) => {
        const { rows } =
          await sql<FormerIncident>`select * from incidents where problem = 'expiry' order by group_id is null desc, id`.execute(
            db,
          );
        const [lead, ...others] = rows as [FormerIncident, ...FormerIncident[]];
        const alert = await db
          .selectFrom('alerts')
          .selectAll()
          .where('incident_id', '=', lead.id)
          .executeTakeFirstOrThrow();
        const delivery = await db
          .selectFrom('deliveries')
          .selectAll()
          .where('alert_id', '=', alert.id)
          .executeTakeFirstOrThrow();
        for (const [index, { id, monitor_id }] of others.entries()) {
          const step = index === 0 ? alert.step : '14d';
          const own = { id: `own ${id}`, incident_id: id };
          await db
            .insertInto('alerts')
            .values({ ...alert, ...own, monitor_id, step })
            .execute();
          await db
            .insertInto('deliveries')
            .values({
              ...delivery,
              ...own,
              alert_id: own.id,
              dedupe_key: own.id,
              state: index === 0 ? 'waiting' : 'delivered',
            })
            .execute();
        }
        await sql`update incidents set group_id = 'gone' where problem = 'revoked'`.execute(db);
      },
    });
    const before = await sent();
    expect(before.filter((one) => one.startsWith('expiry'))).toEqual([
      'expiry 14d delivered',
      'expiry critical delivered',
      'expiry critical superseded',
    ]);
    const incidents = await store.db
      .selectFrom('incident_members')
      .select(['problem', 'incident_id'])
      .distinct()
      .where('problem', 'in', ['expiry', 'revoked'])
      .execute();
    expect(incidents.map(({ problem }) => problem).toSorted()).toEqual(['expiry', 'revoked']);
    for (const minutes of [0, 1]) await seeAll(NOW + minutes * MINUTE);
    expect(await sent()).toEqual(before);
  });
});

import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkRunsOf } from '../../server/store/checks/check-runs.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { uptimeHistory } from '../../server/store/checks/uptime.ts';
import { type Database, DATABASES, freshDatabase, hasDatabase } from '../kit/database.ts';
import { rawDatabase } from '../kit/raw-database.ts';
import { certificate, check, MINUTE, NOW } from './samples.ts';
import { history, presentedChain } from '../../server/store/checks/certificate-history.ts';

const BEFORE_RUNS = 7;
const HOUR = 60 * MINUTE;
const KEY = { accountId: 'alice', monitorId: 'shop' };
const leaf = certificate();

describe.each(DATABASES.filter(hasDatabase))('a database with a row for every check (%s)', (name) => {
  it('shows the same after its checks became runs', async () => {
    const store = await openedWith(name, async (insert) => {
      for (let index = 0; index < 1_200; index++)
        await insert({ at: NOW + index * 15 * MINUTE, isDown: index >= 1_180 && index < 1_190 });
    });
    const now = NOW + 1_200 * 15 * MINUTE;
    expect(await checkRunsOf(store.db, KEY)).toMatchObject([
      { checks: 10, reached: true, uptime: 'up', lastAt: now - 15 * MINUTE },
      { checks: 10, reached: false, uptime: 'down', downMessage: 'It was slow.' },
      { checks: 1_180, reached: true, firstAt: NOW, lastAt: NOW + 1_179 * 15 * MINUTE },
    ]);
    const shown = await uptimeHistory(store, { ...KEY, now });
    expect(shown?.checks).toHaveLength(90);
    expect(shown?.checks.filter(({ state }) => state === 'down')).toHaveLength(10);
    expect(shown?.checks[80]).toMatchObject({ state: 'up', responseMs: 30, message: null });
    expect(shown?.checks[75]).toMatchObject({
      at: NOW + 1_185 * 15 * MINUTE,
      state: 'down',
      responseMs: null,
      message: 'It was slow.',
    });
    // Two hours in each of the spans of a week; the hours that were down have no answer.
    expect(shown?.responseTimes.length).toBeGreaterThan(80);
    expect(shown?.responseTimes[0]).toMatchObject({ averageMs: 30, slowestMs: 30 });
    expect(await findMonitor(store, KEY)).toMatchObject({
      certificate: { fingerprint: leaf.facts.fingerprint },
      verdict: { judgedAt: now - 15 * MINUTE, reached: true },
    });
    expect(await presentedChain(store, KEY)).toEqual([leaf.der]);
    for (const [table, rows] of [
      ['verdicts', 2],
      ['evidence', 2],
    ] as const)
      expect(await store.db.selectFrom(table).select('id').execute()).toHaveLength(rows);
  });

  it('goes on where it was', async () => {
    const store = await openedWith(name, (insert) => insert({ at: NOW, isDown: false }));
    expect(await history(store, KEY)).toMatchObject([{ firstSeenAt: NOW, lastSeenAt: NOW }]);
    for (const hour of [1, 2]) await check(store, NOW + hour * HOUR, [leaf], { nextCheckAt: NOW });
    expect(await history(store, KEY)).toMatchObject([{ firstSeenAt: NOW, lastSeenAt: NOW + 2 * HOUR }]);
    expect(await checkRunsOf(store.db, KEY)).toMatchObject([{ lastAt: NOW + 2 * HOUR }, { checks: 1 }]);
    expect(await findMonitor(store, KEY)).toMatchObject({ recentChecks: 'uuu', verdict: { trusted: true } });
  });
});

type Insert = (check: { at: number; isDown: boolean }) => Promise<void>;

/** As the version before wrote it: a monitor with these checks. */
async function openedWith(name: Database['name'], checks: (insert: Insert) => Promise<void>): Promise<Store> {
  const database = await freshDatabase(name, { migrated: false });
  onTestFinished(() => database.remove());
  const db = rawDatabase(database);
  await migrate(db, { dialect: name, name: 'The database', upTo: BEFORE_RUNS });
  const { fingerprint } = leaf.facts;
  await sql`insert into accounts (id, email, email_verified, full_name, paddle_id, company_name, plan, created_at)
    values ('alice', 'alice@example.com', 1, 'Alice', '', '', 'free', ${NOW})`.execute(db);
  await sql`insert into certificates (fingerprint, der, facts, first_seen_at)
    values (${fingerprint}, ${leaf.der}, ${JSON.stringify(leaf.facts)}, ${NOW})`.execute(db);
  await sql`insert into monitors (id, account_id, host, port, check_every_minutes, created_at, next_check_at, revoked,
      certificate_fingerprint, uptime, uptime_since, recent_checks)
    values ('shop', 'alice', 'shop.example', 443, 15, ${NOW}, ${NOW}, 0, ${fingerprint}, 'up', ${NOW}, 'u')`.execute(
    db,
  );
  await sql`insert into monitor_certificates (id, monitor_id, fingerprint, role, first_seen_at, last_seen_at)
    values ('seen', 'shop', ${fingerprint}, 'leaf', ${NOW}, ${NOW})`.execute(db);
  for (const said of ['up', 'down'])
    await sql`insert into verdicts (id, monitor_id, judged_at, leaf_fingerprint, digest, verdict)
      values (${said}, 'shop', ${NOW}, ${fingerprint}, ${said.padEnd(64, '0')}, ${verdictOf(NOW, said)})`.execute(
      db,
    );
  await checks(async ({ at, isDown }) => {
    const chain = isDown ? undefined : [fingerprint];
    const observation = JSON.stringify({
      observedAt: at,
      resolution: { ok: true },
      authorities: [],
      addresses: [chain ? { presentedChain: chain } : { stage: 'connect', reason: 'timeout' }],
    });
    await sql`insert into checks (id, monitor_id, started_at, finished_at, reached, observation, verdict_id, uptime,
        response_ms, down_message)
      values (${`check ${at}`}, 'shop', ${at}, ${at}, ${isDown ? 0 : 1}, ${observation}, ${isDown ? 'down' : 'up'},
        ${isDown ? 'down' : 'up'}, ${isDown ? null : 30}, ${isDown ? 'It was slow.' : null})`.execute(db);
    await sql`update monitors set last_checked_at = ${at}, verdict_id = 'up',
      verdict = ${verdictOf(at, 'up')}`.execute(db);
  });
  await db.destroy();
  return database.open();
}

const verdictOf = (judgedAt: number, said: string): string =>
  JSON.stringify({
    judgedAt,
    observedAt: judgedAt,
    reached: said === 'up',
    failure: null,
    addresses: [],
    leafFingerprint: leaf.facts.fingerprint,
    limiting: null,
    findings: [],
    trusted: true,
    path: [],
    chainToServe: null,
    renewal: null,
    posture: null,
    trustStoreHash: '',
    lastSeen: null,
    revocation: { state: 'good', source: null, at: null, reason: null, revokedAt: null, sources: [] },
  });

import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimDueDeliveries } from '../../server/store/alerts/deliveries.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { knownIncidents } from '../../server/store/alerts/monitor-incidents.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import { acceptsOldLinks } from '../../server/store/mail/unsubscriptions.ts';
import { DATABASES, type Database, freshDatabase, hasDatabase } from '../kit/database.ts';
import { rawDatabase } from '../kit/raw-database.ts';
import { DAY, NOW, person } from './samples.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { listMonitors } from '../../server/store/monitors/monitor-list.ts';
import { summary } from '../../server/store/monitors/monitor-summary.ts';

describe.each(DATABASES.filter(hasDatabase))('a database from before notes and tags (%s)', (name) => {
  it('keeps its monitors, which are found by their names in both writings', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    const hosts = ['shop.example', 'xn--bcher-kva.example', 'a.xn--mgba3a4f16a.example', '192.0.2.1'];
    await write(database, 4, (db) => watched(db, hosts));

    const store = await database.open();
    const found = async (q: string) => {
      const query = { accountId: 'alice', q, page: 1, pageSize: 50, sort: 'name' as const, now: NOW };
      return (await listMonitors(store, query)).monitors.map(({ host }) => host);
    };
    expect(await found('')).toHaveLength(4);
    expect(await found('bücher')).toEqual(['xn--bcher-kva.example']);
    expect(await found('xn--bcher')).toEqual(['xn--bcher-kva.example']);
    expect(await found('ایران')).toEqual(['a.xn--mgba3a4f16a.example']);
    expect(await found('shop.example:443')).toEqual(['shop.example']);
    expect(await found('192.0.2.1')).toEqual(['192.0.2.1']);
    for (const q of ['bucher', '%', '_', '\\', '"', "'"]) expect([q, await found(q)]).toEqual([q, []]);

    const key = { accountId: 'alice', monitorId: 'shop.example' };
    expect(await findMonitor(store, key)).toMatchObject({
      notes: '',
      tags: [],
      faviconVersion: null,
      protocol: 'https',
      uptime: null,
      uptimeSince: null,
      downSince: null,
      recentChecks: '',
    });
    await updateDescription(store, { ...key, describe: () => ({ notes: 'Mine', tags: ['prod'] }) });
    expect(await found('prod')).toEqual(['shop.example']);
  });
});

describe.each(DATABASES.filter(hasDatabase))('a database from before channels (%s)', (name) => {
  it('keeps what was told, what waits and what was down, as incidents', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    await write(database, 6, async (db) => {
      await watched(db, ['shop.example']);
      await alertedAt6(db, { id: 'first', step: 'warning', state: 'delivered', at: NOW });
      await alertedAt6(db, { id: 'second', step: 'critical', state: 'waiting', at: NOW + DAY });
      await alertedAt6(db, {
        id: 'replaced',
        step: 'warning',
        state: 'delivered',
        at: NOW - 90 * DAY,
        of: 'old',
      });
      const verdict = JSON.stringify({ lastSeen: { expiring: [{ fingerprint: 'aa' }], revoked: [] } });
      await sql`update monitors set verdict = ${verdict}`.execute(db);
      await sql`insert into incidents (id, monitor_id, started_at, confirmed_at, ended_at, cause, message)
        values ('outage', 'shop.example', ${NOW}, ${NOW + 1}, ${NOW + 2}, 'timeout', 'It was slow.')`.execute(
        db,
      );
    });

    const store = await database.open();
    const known = await knownIncidents(store.db, {
      accountId: 'alice',
      monitorId: 'shop.example',
      now: NOW + 2,
    });
    expect(known).toMatchObject([
      { problem: 'down', endedAt: NOW + 2, recovered: true, facts: { message: 'It was slow.' } },
      {
        problem: 'expiry',
        fingerprint: 'aa',
        endedAt: null,
        notifiedSteps: expect.arrayContaining(['warning', 'critical']),
      },
    ]);
    const claim = { now: NOW + DAY, limit: 9, leaseMs: DAY, claimedBy: 'a worker' };
    expect(await claimDueDeliveries(store, claim)).toMatchObject([
      {
        id: 'second',
        attempt: 2,
        superseded: false,
        channel: { key: 'email', kind: 'email' },
        alert: {
          step: 'critical',
          severity: 'critical',
          facts: { certificate: { notAfter: NOW + 9 * DAY } },
        },
      },
    ]);
    expect(await store.db.selectFrom('delivery_attempts').selectAll().execute()).toHaveLength(4);
    // Nobody hears today that what was replaced long ago was renewed.
    const former = store.db.selectFrom('incidents').select('ended_at').where('fingerprint', '=', 'old');
    expect(await former.execute()).toEqual([{ ended_at: NOW - 90 * DAY }]);
  });
});

describe.each(DATABASES.filter(hasDatabase))('a database from before renewal schedules (%s)', (name) => {
  it('counts trusted short-lived certificates as on schedule until a quarter of the lifetime is left', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    // Days of validity before and after now.
    const lifetimes = {
      'fresh.example': [2, 6],
      'overdue.example': [7, 2],
      'long.example': [60, 6],
      'untrusted.example': [2, 6],
    } as const;
    await write(database, 13, async (db) => {
      await watched(db, Object.keys(lifetimes));
      for (const [host, [before, after]] of Object.entries(lifetimes)) {
        // PostgreSQL's JSON functions refuse this name.
        const facts = JSON.stringify({
          fingerprint: host,
          serialNumber: '01',
          issuer: '',
          subject: 'evil\0"notAfter":1',
          authorityName: '',
          authorityFullDn: '',
          authorityUrl: null,
          sans: [],
          notBefore: NOW - before * DAY,
          notAfter: NOW + after * DAY,
        });
        await sql`insert into certificates (fingerprint, der, facts, first_seen_at)
          values (${host}, ${new Uint8Array([1])}, ${facts}, ${NOW})`.execute(db);
        await sql`update monitors set certificate_fingerprint = ${host}, not_after = ${NOW + after * DAY}, checked = 1
          where id = ${host}`.execute(db);
      }
      await sql`update monitors set problem = 'untrusted' where id = 'untrusted.example'`.execute(db);
    });

    const store = await database.open();
    const { counts, onSchedule, expiries } = await summary(store, { accountId: 'alice', now: NOW });
    expect(counts).toMatchObject({ critical: 4 });
    expect(onSchedule).toEqual({ critical: 1, soon: 0 });
    expect(expiries.filter((expiry) => expiry.onSchedule).map(({ id }) => id)).toEqual(['fresh.example']);
  });
});
describe.each(DATABASES.filter(hasDatabase))(
  'a database from before links carried their token behind # (%s)',
  (name) => {
    it('accepts links mailed until now for 90 days, and those of later accounts never', async () => {
      const database = await freshDatabase(name, { migrated: false });
      onTestFinished(() => database.remove());
      await write(database, 13, (db) => watched(db, []));
      const [from, store, to] = [Date.now(), await database.open(), Date.now()];
      const { id: later } = await person(store, 'bob');
      const rows = await store.db.selectFrom('accounts').select(['id', 'old_links_until']).execute();
      const until = new Map(rows.map((row) => [row.id, row.old_links_until]));
      expect(until.get('alice')).toBeGreaterThanOrEqual(from + 90 * DAY);
      expect(until.get('alice')).toBeLessThanOrEqual(to + 90 * DAY);
      expect(until.get(later)).toBeNull();
      expect(await acceptsOldLinks(store, 'alice', from + 89 * DAY)).toBe(true);
      expect(await acceptsOldLinks(store, 'alice', to + 91 * DAY)).toBe(false);
      expect(await acceptsOldLinks(store, later, from)).toBe(false);
    });
  },
);

async function alertedAt6(
  db: Kysely<unknown>,
  { id, step, state, at, of = 'aa' }: { id: string; step: string; state: string; at: number; of?: string },
): Promise<void> {
  await sql`insert into alerts
      (id, account_id, monitor_id, kind, fingerprint, step, not_before, not_after, role, name, as_of, created_at)
    values (${id}, 'alice', 'shop.example', 'expiry', ${of}, ${step}, ${NOW - 81 * DAY}, ${NOW + 9 * DAY}, 'leaf',
      'shop.example', ${at}, ${at})`.execute(db);
  await sql`insert into deliveries (id, account_id, alert_id, channel, dedupe_key, message_id, state, attempts, unanswered,
      next_attempt_at, created_at)
    values (${id}, 'alice', ${id}, 'email', ${id}, ${`<${id}@alerts.certlantern>`}, ${state}, 1, 0, ${at}, ${at})`.execute(
    db,
  );
  await sql`insert into delivery_attempts (delivery_id, attempt, started_at) values (${id}, 1, ${at})`.execute(
    db,
  );
}

async function watched(db: Kysely<unknown>, hosts: readonly string[]): Promise<void> {
  await sql`insert into accounts (id, email, email_verified, full_name, paddle_id, company_name, plan, created_at)
    values ('alice', 'alice@example.com', 1, 'Alice', '', '', 'free', ${NOW})`.execute(db);
  for (const host of hosts)
    await sql`insert into monitors (id, account_id, host, port, check_every_minutes, created_at, next_check_at, revoked)
      values (${host}, 'alice', ${host}, 443, 1440, ${NOW}, ${NOW}, 0)`.execute(db);
}

/** As an earlier version wrote it. */
async function write(
  database: Database,
  level: number,
  rows: (db: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const db = rawDatabase(database);
  await migrate(db, { dialect: database.name, name: 'The database', upTo: level });
  await rows(db as unknown as Kysely<unknown>);
  await db.destroy();
}

import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { claimIdempotencyKey } from '../../server/store/accounts/idempotency.ts';
import { mailDownSince } from '../../server/store/accounts/account-health.ts';
import { openSession, rotateSession } from '../../server/store/accounts/sessions.ts';
import {
  clearUnconfirmedAlarms,
  mailAlarms,
  raiseAlarm,
  raisedAlarms,
} from '../../server/store/alerts/alarms.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { correctFutureTimes, deleteExpired } from '../../server/store/operations/sweep.ts';
import { sqliteTables } from '../../server/store/operations/copy/sqlite-tables.ts';
import { consumeRateLimit, readRateLimit } from '../../server/store/operations/rate-limits.ts';
import { describeEachDatabase, freshDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { DAY, MINUTE, NOW, person } from './samples.ts';
import { promise } from '../security/promise.ts';

const HOUR = 60 * MINUTE;
const AHEAD = NOW + 400 * DAY;

describeEachDatabase('Times stored while the clock ran 400 days ahead', (open) => {
  it('keep a rate limit for at most one window', async () => {
    const store = await open();
    const use = { key: 'sign-in:alice', limit: 1, windowMs: HOUR };
    for (let count = 0; count < 2; count++) await consumeRateLimit(store, { ...use, now: AHEAD });
    expect(await readRateLimit(store.db, { ...use, now: NOW })).toEqual({ count: 2, endsAt: NOW + HOUR });
    expect(await consumeRateLimit(store, { ...use, now: NOW })).toEqual({
      allowed: false,
      retryAfterMs: HOUR,
    });
    expect(await consumeRateLimit(store, { ...use, now: NOW + HOUR - 1 })).toMatchObject({ allowed: false });
    expect(await consumeRateLimit(store, { ...use, now: NOW + HOUR })).toEqual({ allowed: true });
    promise('clocks');
  });

  it('neither silence an alarm nor keep it raised after its process has ended', async () => {
    const store = await open();
    const alarm = (code: 'mail_down' | 'clock_wrong', now: number) =>
      raiseAlarm(store, { code, detail: 'A detail.', now });
    const mailed = (now: number) => mailAlarms(store, { recipient: 'operator@example.com', now });
    await alarm('mail_down', AHEAD);
    await alarm('clock_wrong', AHEAD);
    expect(await mailed(AHEAD + 6 * MINUTE)).toBe(2);

    await correctFutureTimes(store, NOW);
    await alarm('mail_down', NOW + 10 * MINUTE);
    const unconfirmed = { codes: ['clock_wrong'] as const, before: NOW + 5 * MINUTE };
    await clearUnconfirmedAlarms(store, unconfirmed);
    expect(await raisedAlarms(store)).toEqual([{ code: 'mail_down', detail: 'A detail.', since: NOW }]);
    expect(await mailed(NOW + 23 * HOUR)).toBe(0);
    expect(await mailed(NOW + DAY)).toBe(0);
    expect(await mailed(NOW + 2 * DAY)).toBe(1);
  });

  it('do not hide that no mail has been accepted for an hour', async () => {
    const store = await open();
    const mail = {
      recipient: 'alice@example.com',
      kind: 'password_changed',
      unanswered: 0,
      next_attempt_at: NOW,
      created_at: NOW - HOUR,
    };
    const failing = { state: 'waiting' as const, attempts: 5, detail: 'No connection.' };
    await insertRows(store, 'mails', [
      { ...mail, id: 'f', message_id: 'f', ...failing, first_attempt_at: NOW - HOUR, settled_at: null },
    ]);
    const sent = { state: 'delivered' as const, attempts: 1, settled_at: AHEAD };
    await insertRows(store, 'mails', [{ ...mail, id: 's', message_id: 's', ...sent }]);
    expect(await mailDownSince(store, NOW)).toBe(NOW - HOUR);
  });

  it('keep a session for as long as if it had been opened and refreshed when the clock was corrected', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const access = (now: number) => ({
      accessExpiresAt: now + 15 * MINUTE,
      refreshIdleExpiresAt: now + 14 * DAY,
      now,
    });
    const opened = (sessionId: string, now: number) =>
      openSession(store, {
        sessionId,
        accountId,
        signedInAt: now,
        accessHash: sessionId,
        refreshHash: sessionId,
        refreshExpiresAt: now + 30 * DAY,
        ...access(now),
      });
    await opened('opened before', NOW - DAY);
    await opened('opened then', NOW + 5 * DAY);
    await opened('opened since', NOW);
    await rotateSession(store, {
      sessionId: 'opened before',
      refreshHash: 'opened before',
      nextRefreshHash: 'next',
      nextAccessHash: 'next',
      ...access(NOW + 5 * DAY),
      graceMs: 10_000,
    });

    expect(await correctFutureTimes(store, NOW)).toBe(3);
    const rows = await store.db.selectFrom('sessions').selectAll().orderBy('id').execute();
    const times = { access_expires_at: NOW + 15 * MINUTE, refresh_idle_expires_at: NOW + 14 * DAY };
    const fresh = { ...times, created_at: NOW, rotated_at: null, refresh_expires_at: NOW + 30 * DAY };
    expect(rows).toMatchObject([
      { ...times, created_at: NOW - DAY, rotated_at: NOW, refresh_expires_at: NOW + 29 * DAY },
      fresh,
      fresh,
    ]);
    promise('clocks');
  });

  it('do not make links and sign-ins of the identity provider valid for longer', async () => {
    const store = await open();
    const at = new Date(NOW).toISOString();
    const verification = (value: string, expiresAt: number) =>
      sql`insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        values (${value}, ${value}, ${value}, ${new Date(expiresAt).toISOString()}, ${at}, ${at})`.execute(
        store.db,
      );
    await verification('made then', AHEAD + 30 * MINUTE);
    await verification('made since', NOW + DAY);
    await deleteExpired(store, 'verification', NOW);
    expect(await store.db.selectFrom('verification').select('value').execute()).toEqual([
      { value: 'made since' },
    ]);
    promise('clocks');
  });

  it('keep the answer to an idempotency key for a day', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await claimIdempotencyKey(store, { accountId, key: 'a', request: 'add', now: AHEAD });
    await correctFutureTimes(store, NOW);
    expect(await deleteExpired(store, 'idempotency_keys', NOW + DAY - 1)).toBe(0);
    expect(await deleteExpired(store, 'idempotency_keys', NOW + DAY)).toBe(1);
  });

  it('make the icon of a site due now, unless its next fetch is planned within nine days', async () => {
    const store = await open();
    const icon = { content_type: null, content: null, version: null };
    const sites = [
      ['soon.example', NOW + 9 * DAY],
      ['then.example', AHEAD],
    ] as const;
    for (const [host, at] of sites)
      await store.db
        .insertInto('favicons')
        .values({ host, port: 443, ...icon, next_fetch_at: at })
        .execute();
    expect(await correctFutureTimes(store, NOW)).toBe(1);
    const planned = store.db.selectFrom('favicons').select(['host', 'next_fetch_at']).orderBy('host');
    expect(await planned.execute()).toEqual([
      { host: 'soon.example', next_fetch_at: NOW + 9 * DAY },
      { host: 'then.example', next_fetch_at: NOW },
    ]);
  });

  it('make a forecast due now, unless the next one is planned within 16 days', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    for (const [fingerprint, at] of [
      ['a', NOW + 16 * DAY],
      ['b', AHEAD],
    ] as const)
      await store.db.insertInto('forecasts').values({ account_id: id, fingerprint, next_at: at }).execute();
    expect(await correctFutureTimes(store, NOW)).toBe(1);
    const planned = store.db.selectFrom('forecasts').select('next_at').orderBy('fingerprint');
    expect(await planned.execute()).toEqual([{ next_at: NOW + 16 * DAY }, { next_at: NOW }]);
  });

  it('are kept if they are less than an hour ahead, because clocks of several machines may differ', async () => {
    const store = await open();
    await raiseAlarm(store, { code: 'mail_down', detail: 'A detail.', now: NOW + HOUR });
    expect(await correctFutureTimes(store, NOW)).toBe(0);
    expect(await raisedAlarms(store)).toMatchObject([{ since: NOW + HOUR }]);
  });
});

/**
 * What happens to times that were stored while the clock ran ahead. A new column needs an entry, so that its author thinks of
 * this case.
 */
const TIMES: Record<string, readonly string[]> = {
  'set to now, or moved, when the clock is right again': [
    'alarms: since seen_at told_at',
    'channels: failing_since',
    'feedback: created_at',
    'forecasts: made_at',
    'idempotency_keys: created_at',
    'log_lists: asked_at fetched_at answered_at',
    'sessions: access_expires_at rotated_at refresh_idle_expires_at refresh_expires_at created_at',
  ],
  'made due, or its lease ended, if it is further ahead than any delay': [
    'monitors: next_check_at lease_expires_at',
    'mails: next_attempt_at first_attempt_at lease_expires_at',
    'deliveries: next_attempt_at first_attempt_at lease_expires_at',
    'favicons: next_fetch_at',
    'forecasts: next_at',
    'accounts: digest_next_at',
  ],
  'shortened or deleted if it is further ahead than any such time can be': [
    'rate_limits: window_ends_at',
    'verification: expiresAt',
    'session: expiresAt',
    'glances: created_at lease_expires_at',
  ],
  'written anew by the next check, use or delivery, which also deletes incidents and alerts of the future': [
    'monitors: check_requested_at last_checked_at last_read_at on_schedule_until unreachable_since uptime_since suspected_since down_since down_seen_at',
    'monitor_listing: on_schedule_until',
    'other_leaves: on_schedule_until',
    'monitor_states: shown_at run_last_at hour_at unkept_at',
    'incident_members: started_at clearing_since',
    'alerts: created_at',
    'api_tokens: last_used_at',
    'calendar_feeds: read_at',
    'channels: delivered_at',
  ],
  'ignored while it is in the future': ['mails: settled_at', 'deliveries: settled_at'],
  'a date that a person, the operator or the payment provider chose, or the page promised': [
    'accounts: granted_at grant_ends_at trial_ends_at plan_ends_at old_links_until',
    'api_tokens: expires_at',
    'incidents: snoozed_until',
    'maintenance_windows: starts_at ends_at',
    'subscriptions: period_starts_at period_ends_at cancels_at past_due_since refunded_at told_at refund_told_at',
    'payment_events: occurred_at refund_at',
    'deadlines: from_at',
    'forecasts: expected_at',
    'renewals: renewed_at',
  ],
  'only delays when its row is deleted or left out': [
    'trials: account_deleted_at',
    'payment_events: received_at',
    'mails: created_at expires_at',
    'deliveries: created_at',
    'check_runs: first_at last_at',
    'monitor_days: day_at',
    'incident_members: ended_at',
    'idempotency_keys: lease_expires_at',
  ],
  'shown, sorted by, or compared with null, never with the present': [
    'accounts: created_at disabled_at reached_out_at',
    'identities: created_at',
    'monitors: created_at paused_at',
    'monitor_listing: created_at',
    'certificates: first_seen_at',
    'evidence: first_seen_at',
    'monitor_certificates: first_seen_at last_seen_at',
    'verdicts: judged_at',
    'incident_members: confirmed_at',
    'incidents: acknowledged_at',
    'channels: created_at confirmed_at disabled_at',
    'suppressions: since',
    'unsubscriptions: created_at',
    'calendar_feeds: created_at',
    'status_pages: created_at changed_at',
    'badges: created_at',
    'deadlines: first_seen_at renewed_at',
    'authorities: created_at',
    'api_tokens: created_at',
    'trials: started_at',
    'subscriptions: created_at',
    'maintenance_windows: created_at',
    'delivery_attempts: started_at finished_at',
  ],
  'of the identity provider’s library, which does not compare it with the present': [
    'user: createdAt updatedAt',
    'account: accessTokenExpiresAt refreshTokenExpiresAt createdAt updatedAt',
    'passkey: createdAt',
    'session: createdAt updatedAt',
    'verification: createdAt updatedAt',
  ],
  'a signing key of the identity provider’s library, which it then uses for longer': [
    'jwks: createdAt expiresAt',
  ],
};

it('every column with a time is in the list that says what happens to it if it is in the future', async () => {
  const database = await freshDatabase('sqlite');
  onTestFinished(() => database.remove());
  await database.open();
  const db = new DatabaseSync(join(database.dataDir, SQLITE_FILE), { readOnly: true });
  const columns = sqliteTables(db).flatMap(({ name: table }) =>
    db
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => `${table}.${String(name)}`)
      .filter((name) => /(?:_at|_until|since|At)$/.test(name)),
  );
  db.close();
  const listed = Object.values(TIMES).flatMap((groups) =>
    groups.flatMap((group) => {
      const [table, names = ''] = group.split(': ');
      return names.split(' ').map((name) => `${table}.${name}`);
    }),
  );
  expect(columns.toSorted()).toEqual(listed.toSorted());
});

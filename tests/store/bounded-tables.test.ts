import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteTables } from '../../server/store/operations/copy/sqlite-tables.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { freshDatabase } from '../kit/databases/database.ts';

/** What keeps a stranger from filling each table. A new table needs an entry, so that its author thinks about a bound. */
const BOUNDS: Record<keyof Tables | 'database_id' | 'jwks', string> = {
  database_id: 'one row',
  jwks: 'the server alone makes keys',
  accounts: 'limits on sign-ups',
  identities: 'limits on sign-ups',
  user: 'limits on sign-ups',
  account: 'limits on sign-ups',
  session: 'deleted when exchanged for a session, or when it expires',
  verification: 'limits on mailed links; the janitor removes those that expired',
  passkey: 'one per challenge, of which one address gets 9,600 a day',
  twoFactor: 'one per user',
  sessions: '200 per account, and 14 days',
  trials: 'one per address that signed up',
  subscriptions: 'the payment provider alone writes them',
  payment_events: 'the payment provider alone writes them; 90 days',
  monitors: 'three of a Free account; 10,000 an hour by import',
  monitor_listing: 'one per monitor',
  monitor_totals: 'one per account',
  served_certificates: 'at most one per monitor and address',
  other_leaves: 'at most one per monitor and address',
  monitor_states: 'one per monitor',
  monitor_days: 'one per monitor and day; the days of its plan',
  check_runs: '20,000 per monitor; the days of its plan',
  incidents: '5,000 per monitor; the days of its plan',
  alerts: 'with their incidents; tests 90 days',
  deliveries: 'one per alert and channel; limits on tests and replays',
  delivery_attempts: 'the attempts of the retry schedule per delivery',
  evidence: 'LIMIT_STORED_KB_PER_DAY; while a run refers to it',
  verdicts: 'LIMIT_STORED_KB_PER_DAY; while a run refers to it',
  certificates: 'LIMIT_CERTIFICATES_PER_DOMAIN and LIMIT_STORED_KB_PER_DAY; while a monitor has shown it',
  monitor_certificates: '5,000 per monitor that are no longer kept',
  favicons: 'one per site that somebody watches, of 100 kB',
  glances: 'limits per address and in all; deleted when answered',
  authorities: '20 per account',
  rate_limits: 'one per counted key until its window ends, a day at most',
  mails: 'limits on what sends them; 90 days',
  channels: '20 per account',
  unsubscriptions: 'one per channel and monitor',
  suppressions: 'one per address that refused mail; limits on mail to new addresses',
  maintenance_windows: 'those that are not over are limited; others go with the next one',
  calendar_feeds: 'one per account',
  status_pages: 'one per account',
  status_page_domains: '200 per page',
  badges: 'one per monitor',
  alarms: 'one per code',
  api_tokens: '20 per account',
  idempotency_keys: '4,000 an hour and LIMIT_KEPT_ANSWERS_MB a day per account; a day',
  feedback: '200 per account',
};

it('every database table is in the list that says what limits its size', async () => {
  const database = await freshDatabase('sqlite');
  onTestFinished(() => database.remove());
  await database.open();
  const db = new DatabaseSync(join(database.dataDir, SQLITE_FILE), { readOnly: true });
  const names = sqliteTables(db).map(({ name }) => name);
  db.close();
  expect(names.toSorted()).toEqual(Object.keys(BOUNDS).toSorted());
});

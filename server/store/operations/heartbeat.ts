import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AlertFacts } from '../../core/alerting/alert.ts';
import { DEFAULT_ALERT_SETTINGS } from '../../core/alerting/settings.ts';
import { HEARTBEAT_EVERY_MINUTES } from '../../core/check/schedule.ts';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from '../mail/outbox.ts';
import { searchText } from '../monitors/monitor-row.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** The account of the self-check. It has no mail address and no identity, so nobody can sign in to it or receive its mail. */
export const SYSTEM_ACCOUNT_ID = 'system';
/** The channel key of the deliveries of the self-check, which are sent to HEARTBEAT_URL. */
export const HEARTBEAT_KEY = 'heartbeat';

/** Retention of pings, ms. Those of the last day help to find out why a ping was missing. */
const RETENTION_MS = DAY_MS;

/** Makes this endpoint the only monitor of the self-check, and creates the system account if needed. */
export async function ensureHeartbeat(
  store: Store,
  { host, port, now }: { host: string; port: number; now: number },
): Promise<void> {
  const existing = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', SYSTEM_ACCOUNT_ID)
    .where('host', '=', host)
    .where('port', '=', port)
    .executeTakeFirst();
  if (existing) return;
  await inTransaction(store, async (trx) => {
    await trx
      .insertInto('accounts')
      .values({
        id: SYSTEM_ACCOUNT_ID,
        kind: 'system',
        // The id is not a mail address, so nobody can sign up with it.
        email: SYSTEM_ACCOUNT_ID,
        email_verified: 0,
        full_name: '',
        paddle_id: '',
        company_name: '',
        plan: 'free',
        alert_settings: JSON.stringify({ ...DEFAULT_ALERT_SETTINGS, channels: [] }),
        reached_out_at: now,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await trx.deleteFrom('monitors').where('account_id', '=', SYSTEM_ACCOUNT_ID).execute();
    await trx
      .insertInto('monitors')
      .values({
        id: randomUUID(),
        account_id: SYSTEM_ACCOUNT_ID,
        host,
        port,
        protocol: 'tls',
        search_text: searchText({ host, port, notes: '', tags: [] }),
        check_every_minutes: HEARTBEAT_EVERY_MINUTES,
        revoked: 0,
        created_at: now,
        next_check_at: now,
      })
      .execute();
  });
  store.signals.publish({ topic: 'due' });
}

/** Deletes the self-check with its account. */
export async function deleteHeartbeat(store: Store): Promise<void> {
  await store.db.deleteFrom('accounts').where('id', '=', SYSTEM_ACCOUNT_ID).execute();
}

/**
 * Queues a ping in the transaction that records a check of the self-check's monitor, and deletes pings older than a
 * day. Returns 1, or 0 if an earlier ping still waits.
 */
export async function queueHeartbeat(trx: Transaction<Tables>, now: number): Promise<number> {
  await trx
    .deleteFrom('alerts')
    .where('account_id', '=', SYSTEM_ACCOUNT_ID)
    .where('created_at', '<', now - RETENTION_MS)
    .execute();
  const waiting = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('account_id', '=', SYSTEM_ACCOUNT_ID)
    .where(isWaiting)
    .executeTakeFirst();
  if (waiting) return 0;
  await addPing(trx, now);
  return 1;
}

async function addPing(trx: Transaction<Tables>, now: number): Promise<void> {
  const [alertId, id] = [randomUUID(), randomUUID()];
  const facts: AlertFacts = {
    certificate: null,
    message: null,
    fix: null,
    successor: null,
    startedAt: now,
    endedAt: null,
    asOf: now,
  };
  await trx
    .insertInto('alerts')
    .values({
      id: alertId,
      account_id: SYSTEM_ACCOUNT_ID,
      kind: 'test',
      step: 'opened',
      fingerprint: '',
      severity: 'warning',
      facts: JSON.stringify(facts),
      created_at: now,
    })
    .execute();
  await trx
    .insertInto('deliveries')
    .values({
      id,
      account_id: SYSTEM_ACCOUNT_ID,
      alert_id: alertId,
      channel: 'webhook',
      channel_key: HEARTBEAT_KEY,
      dedupe_key: `${HEARTBEAT_KEY}:${id}`,
      message_id: `<${id}@alerts.certlantern>`,
      state: 'waiting',
      attempts: 0,
      unanswered: 0,
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
}

import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { PlannedAlert } from '../core/index.ts';
import type { Tables } from './tables.ts';

const CHANNELS = ['email'] as const;

/**
 * Puts alerts into the outbox, one delivery per channel, as part of the transaction that records why. What was told or
 * waits is passed over: nobody is told the same step twice. What was superseded, so that nobody was told, comes back.
 * Returns how many deliveries are to be made.
 */
export async function addAlerts(
  trx: Transaction<Tables>,
  outbox: { accountId: string; monitorId: string; alerts: readonly PlannedAlert[]; now: number },
): Promise<number> {
  const { accountId, monitorId, now } = outbox;
  let added = 0;
  for (const alert of outbox.alerts) {
    const { kind, fingerprint, step } = alert;
    const row = await trx
      .insertInto('alerts')
      .values({
        id: randomUUID(),
        account_id: accountId,
        monitor_id: monitorId,
        kind,
        fingerprint,
        step,
        not_before: alert.notBefore,
        not_after: alert.notAfter,
        role: alert.role,
        name: alert.name,
        as_of: alert.asOf,
        created_at: now,
      })
      .onConflict((conflict) => conflict.columns(['monitor_id', 'kind', 'fingerprint', 'step']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!row) {
      added += await rearm(trx, monitorId, alert, now);
      continue;
    }
    for (const channel of CHANNELS)
      added += await addDelivery(trx, { ...outbox, alert, alertId: row.id, channel });
  }
  return added;
}

async function addDelivery(
  trx: Transaction<Tables>,
  entry: {
    accountId: string;
    monitorId: string;
    alertId: string;
    alert: PlannedAlert;
    channel: (typeof CHANNELS)[number];
    now: number;
  },
): Promise<number> {
  const { alert, channel, now } = entry;
  const id = randomUUID();
  const result = await trx
    .insertInto('deliveries')
    .values({
      id,
      account_id: entry.accountId,
      alert_id: entry.alertId,
      channel,
      dedupe_key: [entry.monitorId, alert.kind, alert.fingerprint, alert.step, channel].join(':'),
      // Made once, so that a message sent twice arrives as one.
      message_id: `<${id}@alerts.certlantern>`,
      state: 'waiting',
      attempts: 0,
      unanswered: 0,
      next_attempt_at: now,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0n);
}

/** A renewal was seen before the message could leave, and now the old certificate is served again: its turn after all. */
async function rearm(
  trx: Transaction<Tables>,
  monitorId: string,
  { kind, fingerprint, step, asOf }: PlannedAlert,
  now: number,
): Promise<number> {
  const alert = await trx
    .selectFrom('alerts')
    .select('id')
    .where('monitor_id', '=', monitorId)
    .where('kind', '=', kind)
    .where('fingerprint', '=', fingerprint)
    .where('step', '=', step)
    .executeTakeFirstOrThrow();
  const { numUpdatedRows } = await trx
    .updateTable('deliveries')
    .set({
      state: 'waiting',
      next_attempt_at: now,
      first_attempt_at: null,
      created_at: now,
      settled_at: null,
      detail: null,
    })
    .where('alert_id', '=', alert.id)
    .where('state', '=', 'superseded')
    .executeTakeFirst();
  if (numUpdatedRows > 0n)
    await trx
      .updateTable('alerts')
      .set({ created_at: now, as_of: asOf })
      .where('id', '=', alert.id)
      .execute();
  return Number(numUpdatedRows);
}

import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import type { Targeted } from '../../core/target.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import { readChannels } from '../alerts/channels.ts';
import type { Store } from '../db/open-store.ts';
import type { Outbox } from './outbox.ts';
import type { DeliveryState } from '../schema/alert-tables.ts';
import { liftSuppression } from './suppressions.ts';
import type { MailState, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { alertOfDelivery, monitorOf } from '../db/dialect.ts';

/** A sent, failed or waiting mail of an account, for the operator. Timestamps are in ms UTC. */
export interface OutgoingMail {
  id: string;
  outbox: Outbox;
  /** The kind of mail; null for an alert. */
  kind: string | null;
  /** The alert's endpoint and step; null for other mail. */
  alert: (Targeted & { step: string }) | null;
  recipient: string;
  state: MailState | DeliveryState;
  attempts: number;
  /** The mail server's last reply, or the reason why the mail waits. */
  detail: string | null;
  createdAt: number;
  /** Time of the next attempt, ms UTC; null if the mail is settled. */
  nextAttemptAt: number | null;
}

/** Recipient shown for an added channel whose config cannot be decoded. */
const UNKNOWN = 'unknown';

interface Owner {
  id: string;
  email: string;
}

/** Lists mail of the account in any state, newest first: alerts (without test messages) and other mail together. */
export async function listOutgoingMail(store: Store, account: Owner, limit: number): Promise<OutgoingMail[]> {
  const alerts = await alertMails(store.db, account)
    .innerJoin('alerts', alertOfDelivery)
    .innerJoin('monitors', monitorOf('alerts'))
    .selectAll('deliveries')
    .select(['monitors.host', 'monitors.port', 'monitors.target', 'alerts.step', 'channels.config'])
    .orderBy('deliveries.created_at', 'desc')
    .limit(limit)
    .execute();
  const mails = await store.db
    .selectFrom('mails')
    .selectAll()
    .where(belongsTo(account))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return [
    ...alerts.map((row) => ({
      outbox: 'deliveries' as const,
      kind: null,
      alert: { host: row.host, port: row.port, target: row.target, step: row.step },
      recipient:
        row.config === null ? account.email : (addressOf({ kind: 'email', config: row.config }) ?? UNKNOWN),
      ...commonFields(row),
    })),
    ...mails.map((row) => ({
      outbox: 'mails' as const,
      kind: row.kind,
      alert: null,
      recipient: row.recipient,
      ...commonFields(row),
    })),
  ]
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, limit);
}

/**
 * Makes mail due now and lifts suppressions of its recipients: the waiting and failed mails in `ids`, or all of the account if
 * `ids` is null. Retries failed mail for four more days. Skips mail whose content was deleted. Returns the ids.
 */
export async function requeueMail(
  store: Store,
  account: Owner,
  { ids, now }: { ids: readonly string[] | null; now: number },
): Promise<string[]> {
  const requeued = await inTransaction(store, async (trx) => {
    const requeue = (outbox: Outbox) =>
      trx
        .updateTable(outbox as 'mails')
        .set((eb) => ({
          first_attempt_at: eb
            .case()
            .when('state', '=', 'failed')
            .then(null)
            .else(eb.ref('first_attempt_at'))
            .end(),
          state: 'waiting',
          next_attempt_at: now,
          settled_at: null,
        }))
        .where('state', 'in', ['waiting', 'failed'])
        .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
        .returning('id');
    const alerts = await requeue('deliveries')
      .where('id', 'in', alertMails(trx, account).select('deliveries.id'))
      .returning(sql<string | null>`channel_id`.as('channelId'))
      .execute();
    const mails = await requeue('mails')
      .where(belongsTo(account))
      .where('data', 'is not', null)
      .returning('recipient')
      .execute();
    const channelIds = new Set(alerts.map(({ channelId }) => channelId));
    const { added } = await readChannels(trx, account.id);
    const recipients = [
      ...mails.map(({ recipient }) => recipient),
      ...(channelIds.has(null) ? [account.email] : []),
      ...added.filter(({ id }) => channelIds.has(id)).flatMap((channel) => addressOf(channel) ?? []),
    ];
    for (const address of new Set(recipients)) await liftSuppression(trx, address);
    return [...alerts, ...mails].map(({ id }) => id);
  });
  for (const topic of ['deliveries', 'mails'] as const) store.signals.publish({ topic });
  if (requeued.length > 0) store.signals.publish({ topic: 'account', accountId: account.id });
  return requeued;
}

/** Selects deliveries by mail. Omits those of removed channels, because their addresses are unknown. */
function alertMails(db: Kysely<Tables>, account: Owner) {
  return db
    .selectFrom('deliveries')
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .where('deliveries.account_id', '=', account.id)
    .where('deliveries.channel', '=', 'email')
    .where((eb) =>
      eb.or([eb('deliveries.channel_key', '=', ACCOUNT_MAIL), eb('deliveries.channel_id', 'is not', null)]),
    );
}

/** Returns the SQL condition for mails of the account, and for mails sent to its address before the account existed. */
function belongsTo({ id, email }: Owner) {
  return (eb: ExpressionBuilder<Tables, 'mails'>): Expression<SqlBool> =>
    eb.or([eb('account_id', '=', id), eb.and([eb('account_id', 'is', null), eb('recipient', '=', email)])]);
}

function commonFields<State>(row: {
  id: string;
  state: State;
  attempts: number;
  detail: string | null;
  created_at: number;
  next_attempt_at: number;
}) {
  return {
    id: row.id,
    state: row.state,
    attempts: row.attempts,
    detail: row.detail,
    createdAt: row.created_at,
    nextAttemptAt: row.state === 'waiting' ? row.next_attempt_at : null,
  };
}

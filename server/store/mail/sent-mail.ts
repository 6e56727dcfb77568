import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely';
import { ACCOUNT_MAIL } from '../../core/index.ts';
import { placeOf, type StoredChannelConfig } from '../alerts/channel-config.ts';
import { readChannels } from '../alerts/channels.ts';
import type { Store } from '../db/open-store.ts';
import type { Outbox } from './outbox.ts';
import type { DeliveryState } from '../schema/alert-tables.ts';
import { liftSuppression } from './suppressions.ts';
import type { MailState, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A mail that went out for an account, or waits to, as the operator sees it. Instants are ms UTC. */
export interface SentMail {
  id: string;
  outbox: Outbox;
  /** Of a mail; null for an alert. */
  kind: string | null;
  /** Of an alert; null for a mail. */
  alert: { host: string; port: number; step: string } | null;
  recipient: string;
  state: MailState | DeliveryState;
  attempts: number;
  /** The last word of the mail server, or why it waits. */
  detail: string | null;
  createdAt: number;
  /** When it is tried again; null where it is settled. */
  nextAttemptAt: number | null;
}

interface Owner {
  id: string;
  email: string;
}

/** What was mailed for the account, or waits to be, the newest first: alerts and other mail together. */
export async function sentMail(store: Store, account: Owner, limit: number): Promise<SentMail[]> {
  const alerts = await alertMails(store.db, account)
    .innerJoin('alerts', (join) =>
      join
        .onRef('alerts.account_id', '=', 'deliveries.account_id')
        .onRef('alerts.id', '=', 'deliveries.alert_id'),
    )
    .innerJoin('monitors', (join) =>
      join
        .onRef('monitors.account_id', '=', 'alerts.account_id')
        .onRef('monitors.id', '=', 'alerts.monitor_id'),
    )
    .selectAll('deliveries')
    .select(['monitors.host', 'monitors.port', 'alerts.step', 'channels.config'])
    .orderBy('deliveries.created_at', 'desc')
    .limit(limit)
    .execute();
  const mails = await store.db
    .selectFrom('mails')
    .selectAll()
    .where(isOf(account))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return [
    ...alerts.map((row) => ({
      outbox: 'deliveries' as const,
      kind: null,
      alert: { host: row.host, port: row.port, step: row.step },
      recipient: row.config === null ? account.email : placeOf(JSON.parse(row.config) as StoredChannelConfig),
      ...common(row),
    })),
    ...mails.map((row) => ({
      outbox: 'mails' as const,
      kind: row.kind,
      alert: null,
      recipient: row.recipient,
      ...common(row),
    })),
  ]
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, limit);
}

/**
 * Makes what waits or failed due now, with four days of new attempts for what failed; of mails those only of which is still
 * known what they said. `ids` null: everything of the account. An address that refused mail gets it again where some of this
 * goes there: whoever asks for it knows better. Returns the ids.
 */
export async function sendAgain(
  store: Store,
  account: Owner,
  { ids, now }: { ids: readonly string[] | null; now: number },
): Promise<string[]> {
  const again = await inTransaction(store, async (trx) => {
    const unsettled = (outbox: Outbox) =>
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
    const alerts = await unsettled('deliveries')
      .where('id', 'in', alertMails(trx, account).select('deliveries.id'))
      .returning(sql<string | null>`channel_id`.as('channelId'))
      .execute();
    const mails = await unsettled('mails')
      .where(isOf(account))
      .where('data', 'is not', null)
      .returning('recipient')
      .execute();
    const channelIds = new Set(alerts.map(({ channelId }) => channelId));
    const { added } = await readChannels(trx, account.id);
    const recipients = [
      ...mails.map(({ recipient }) => recipient),
      ...(channelIds.has(null) ? [account.email] : []),
      ...added.filter(({ id }) => channelIds.has(id)).map(({ config }) => placeOf(config)),
    ];
    for (const address of new Set(recipients)) await liftSuppression(trx, address);
    return [...alerts, ...mails].map(({ id }) => id);
  });
  for (const topic of ['deliveries', 'mails'] as const) store.signals.publish({ topic });
  if (again.length > 0) store.signals.publish({ topic: 'account', accountId: account.id });
  return again;
}

/** Alerts that go by mail. Of an added address that was removed nobody knows any more where it led, and nothing goes there. */
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

/** Of the account, or from before it was made. */
function isOf({ id, email }: Owner) {
  return (eb: ExpressionBuilder<Tables, 'mails'>): Expression<SqlBool> =>
    eb.or([eb('account_id', '=', id), eb.and([eb('account_id', 'is', null), eb('recipient', '=', email)])]);
}

function common<State>(row: {
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

import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AlertFacts } from '../../core/alerting/alert.ts';
import { type ChannelKind, isChannelOpen, mayUseChannel } from '../../core/alerting/route.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import type { Plan } from '../../core/plan.ts';
import { deliveryOf, type DeliveryRecord } from './alert-history.ts';
import { lockPlan } from '../billing/entitlements.ts';
import type { Store } from '../db/open-store.ts';
import { OWN_MESSAGE_ID } from './alerts.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { nextLane } from '../mail/outbox.ts';
import { unsubscriptionsOf } from '../mail/unsubscriptions.ts';

/** Reason why a message to a channel was not queued. */
export type SendFailure = 'not_found' | 'premium_required' | 'channel_closed';

interface Sending {
  accountId: string;
  now: number;
  alsoWrite?: WriteInTransaction<DeliveryRecord>;
}

/** Queues a test message to a channel. Returns the delivery, or the reason why it was not queued. */
export async function sendTest(
  store: Store,
  { channelKey, ...sending }: Sending & { channelKey: string },
): Promise<DeliveryRecord | SendFailure> {
  const { accountId, now } = sending;
  return enqueueDelivery(store, sending, async (trx) => {
    const { plan } = await lockPlan(store, trx, { accountId, now });
    const channel = await findOpenChannel(trx, { accountId, channelKey, plan });
    if (typeof channel === 'string') return channel;
    const alertId = randomUUID();
    await trx
      .insertInto('alerts')
      .values({
        id: alertId,
        account_id: accountId,
        monitor_id: null,
        incident_id: null,
        kind: 'test',
        step: 'opened',
        fingerprint: '',
        severity: 'info',
        created_at: now,
        facts: JSON.stringify(testFacts(now)),
      })
      .execute();
    const id = randomUUID();
    await trx
      .insertInto('deliveries')
      .values({
        id,
        account_id: accountId,
        alert_id: alertId,
        incident_id: null,
        channel: channel.kind,
        channel_key: channelKey,
        channel_id: channelKey === ACCOUNT_MAIL ? null : channelKey,
        dedupe_key: `test:${id}`,
        lane: await nextLane(trx, 'deliveries', accountId),
        message_id: `<${id}@alerts.certlantern>`,
        state: 'waiting',
        attempts: 0,
        unanswered: 0,
        next_attempt_at: now,
        created_at: now,
      })
      .execute();
    return { deliveryId: id };
  });
}

function testFacts(now: number): AlertFacts {
  return {
    certificate: null,
    asOf: now,
    message: null,
    fix: null,
    successor: null,
    startedAt: now,
    endedAt: null,
  };
}

/**
 * Queues a settled delivery again with its message id. A delivery that was merged with others gets a message id of its own. Does
 * not change a waiting delivery.
 */
export async function replayDelivery(
  store: Store,
  { deliveryId, ...sending }: Sending & { deliveryId: string },
): Promise<DeliveryRecord | SendFailure> {
  const { accountId, now } = sending;
  return enqueueDelivery(store, sending, async (trx) => {
    const { plan } = await lockPlan(store, trx, { accountId, now });
    const row = await trx
      .selectFrom('deliveries')
      .select('channel_key')
      .where('id', '=', deliveryId)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (!row) return 'not_found';
    const channel = await findOpenChannel(trx, { accountId, channelKey: row.channel_key, plan });
    if (typeof channel === 'string') return channel;
    await trx
      .updateTable('deliveries')
      .set({
        state: 'waiting',
        forced: 1,
        merge_key: null,
        message_id: OWN_MESSAGE_ID,
        next_attempt_at: now,
        unanswered: 0,
        first_attempt_at: null,
        settled_at: null,
        detail: null,
      })
      .where('id', '=', deliveryId)
      .where('state', '!=', 'waiting')
      .execute();
    return { deliveryId };
  });
}

async function enqueueDelivery(
  store: Store,
  { accountId, alsoWrite }: Sending,
  enqueue: (trx: Transaction<Tables>) => Promise<{ deliveryId: string } | SendFailure>,
): Promise<DeliveryRecord | SendFailure> {
  const outcome = await inTransaction(store, async (trx) => {
    const enqueued = await enqueue(trx);
    if (typeof enqueued === 'string') return enqueued;
    const record = await deliveryOf(trx, { accountId, ...enqueued });
    if (record === null) return 'not_found';
    await alsoWrite?.(trx, record);
    return record;
  });
  if (typeof outcome === 'string') return outcome;
  store.signals.publish({ topic: 'deliveries' });
  store.signals.publish({ topic: 'alerts', accountId, monitorId: outcome.alert.monitor?.id ?? null });
  return outcome;
}

async function findOpenChannel(
  trx: Transaction<Tables>,
  { accountId, channelKey, plan }: { accountId: string; channelKey: string; plan: Plan },
): Promise<{ kind: ChannelKind } | SendFailure> {
  const isOwn = channelKey === ACCOUNT_MAIL;
  const channel = isOwn
    ? { kind: 'email' as const, confirmed_at: 0, disabled_at: null }
    : await trx
        .selectFrom('channels')
        .select(['kind', 'confirmed_at', 'disabled_at'])
        .where('id', '=', channelKey)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
  if (!channel) return 'not_found';
  if (!mayUseChannel(plan, channelKey)) return 'premium_required';
  const isUnsubscribed = (await unsubscriptionsOf(trx, accountId)).get(channelKey)?.all ?? false;
  const { confirmed_at: confirmedAt, disabled_at: disabledAt } = channel;
  const isOpen = isChannelOpen(channelKey, { confirmedAt, disabledAt }) && !isUnsubscribed;
  return isOpen ? { kind: channel.kind } : 'channel_closed';
}

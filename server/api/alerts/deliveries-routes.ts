import { CALLS } from '../../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../../contract/channel.ts';
import { readConfig } from '../../channels/kinds/index.ts';
import { deliveryOf, type DeliveryRecord } from '../../store/alerts/alert-history.ts';
import { channelsOf } from '../../store/alerts/channels.ts';
import { replayDelivery } from '../../store/alerts/channel-sending.ts';
import type { Api, AppParts } from '../http/api.ts';
import { limitChannelPort } from './channel-address.ts';
import { CHANNEL_REFUSALS, deliveryWire } from './channel-wire.ts';
import { refuse } from '../http/problem.ts';
import { refuseUnverified } from '../auth/verified-address.ts';

/** Registers the calls that show the delivery of a message and send it again. */
export function deliveryRoutes(api: Api, parts: AppParts): void {
  const { store, limits } = parts;
  const { productName } = parts.config;
  const answerOf = (receipt: DeliveryRecord, now: number) => ({
    data: deliveryWire(receipt, { productName, now }),
  });

  api.on(CALLS.delivery, async ({ params, session: { account }, now }) => {
    const receipt = await deliveryOf(store.db, { accountId: account.id, deliveryId: params.id });
    return receipt === null ? notFound() : answerOf(receipt, now);
  });

  api.on(CALLS.replayDelivery, async ({ params, session: { account }, idempotency, now }) => {
    const key = { accountId: account.id, deliveryId: params.id };
    const known = await deliveryOf(store.db, key);
    if (known === null) return notFound();
    const { added } = await channelsOf(store, account.id);
    const channel = added.find(({ id }) => id === known.channelKey);
    const limited =
      (known.channelKey === OWN_MAIL ? null : refuseUnverified(account, 'channel', parts)) ??
      limits.allow('replayByChannel', `${account.id}:${known.channelKey}`) ??
      limits.allow('replayByAccount', account.id) ??
      (await limitChannelPort(parts, {
        accountId: account.id,
        channel: channel ? readConfig(channel) : null,
        now,
      }));
    if (limited) return limited;
    const replayed = await replayDelivery(store, {
      ...key,
      now,
      alsoWrite: (trx, receipt) => idempotency.storeAnswer(trx, answerOf(receipt, now)),
    });
    if (replayed === 'not_found') return notFound();
    if (typeof replayed === 'string') return CHANNEL_REFUSALS[replayed]();
    return answerOf(replayed, now);
  });
}

const notFound = () => refuse('not_found', 'There is no such message.');

import type { ClaimedDelivery } from '../store/alerts/claimed-delivery.ts';
import { claimDueDeliveries, retryDelivery } from '../store/alerts/deliveries.ts';
import { claimDueMails, type ClaimedMail, retryMail } from '../store/mail/mails.ts';
import { extendLease, firstAttemptDueAt, type OutboxLease } from '../store/mail/outbox.ts';
import { HEARTBEAT_KEY } from '../store/operations/heartbeat.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import { type DelivererOptions, type DelivererParts, sendDelivery } from './deliverer.ts';
import { sendMail } from './mailer.ts';

/**
 * Maximum number of alert mails sent at once. Mail servers limit connections, and this is enough to send the few alerts within
 * seconds.
 */
const MAX_CONCURRENT_EMAILS = 4;
/**
 * Maximum number of HTTP deliveries at once. It is large, because a receiver that never answers occupies a slot until the
 * timeout.
 */
const MAX_CONCURRENT_POSTS = 32;
const CLAIM_BATCH_SIZE = 4;
const MAX_CONCURRENT_ACCOUNT_MAILS = 2;
/**
 * Maximum numbers of mails that wait for a slow mail server without a slot. Further slow mails keep their slots: a mail that
 * gives up would be sent again, although the server may accept it.
 */
const MAX_SLOW_EMAILS = 28;
const MAX_SLOW_ACCOUNT_MAILS = 14;

export type MessageLoopOptions = DelivererOptions &
  Omit<DelivererParts, 'onSlow'> & {
    claimedBy: string;
    /** Length of a lease in ms; it is renewed while the message is being sent. */
    leaseMs: number;
    telemetry: Telemetry;
    /** Returns a random number in [0, 1). */
    random: () => number;
  };

/** Creates the loops that send deliveries of alerts: one for mail, one for HTTP channels. */
export function createDeliveryLoops(options: MessageLoopOptions): ClaimLoop[] {
  return [deliveryLoop('mail', options), deliveryLoop('http', options)];
}

function deliveryLoop(by: 'mail' | 'http', options: MessageLoopOptions): ClaimLoop {
  const { store, clock, claimedBy, leaseMs, telemetry } = options;
  const claimSome = (limit: number) =>
    claimDueDeliveries(store, { by, now: clock.now(), limit, leaseMs, claimedBy });
  const loop = createClaimLoop<ClaimedDelivery>({
    ...options,
    name: by === 'mail' ? 'alert by mail' : 'alert over http',
    concurrency: by === 'mail' ? MAX_CONCURRENT_EMAILS : MAX_CONCURRENT_POSTS,
    firstDueAt: () => firstAttemptDueAt(store, 'deliveries'),
    claim: (limit) => (by === 'mail' ? claimSome(limit) : inSmallBatches(claimSome, limit)),
    async handle(delivery, stopping, leaveSlot) {
      const { key, kind } = delivery.channel;
      const outcome = await sendDelivery(delivery, { ...options, onSlow: leaveSlot }, stopping);
      telemetry.metrics.countDelivery(key === HEARTBEAT_KEY ? 'heartbeat' : kind, outcome);
      // Claim again: a delivery may have waited for this one.
      loop.wake();
    },
    waitingRoom: { size: MAX_SLOW_EMAILS },
    // The message was interrupted while it was sent. Make it due now: the next process sends it with the same Message-ID.
    release: async ({ leaseToken }) => {
      await retryDelivery(store, { leaseToken, ...immediateRetry(options) });
    },
    renewal: renewalOf('deliveries', options),
    fieldsOf: ({ id, channel, monitor }) => ({
      delivery: id,
      channel: channel.kind,
      ...(monitor && { monitor: monitor.id }),
    }),
  });
  return loop;
}

/** Claims a few deliveries at a time, because a claim counts the account's parallel deliveries only at its start. */
async function inSmallBatches(
  claim: (limit: number) => Promise<ClaimedDelivery[]>,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (;;) {
    const batch = Math.min(CLAIM_BATCH_SIZE, limit - claimed.length);
    const some = await claim(batch);
    claimed.push(...some);
    if (some.length < batch || claimed.length >= limit) return claimed;
  }
}

/** Creates the loop that sends all mails other than alerts, such as verification links and digests. */
export function createMailLoop(options: MessageLoopOptions): ClaimLoop {
  const { store, clock, claimedBy, leaseMs, telemetry } = options;
  return createClaimLoop<ClaimedMail>({
    ...options,
    name: 'mail',
    concurrency: MAX_CONCURRENT_ACCOUNT_MAILS,
    firstDueAt: () => firstAttemptDueAt(store, 'mails'),
    claim: (limit) => claimDueMails(store, { now: clock.now(), limit, leaseMs, claimedBy }),
    async handle(claimed, stopping, leaveSlot) {
      const outcome = await sendMail(claimed, { ...options, onSlow: leaveSlot }, stopping);
      telemetry.metrics.countDelivery('mail', outcome);
    },
    waitingRoom: { size: MAX_SLOW_ACCOUNT_MAILS },
    release: async ({ leaseToken }) => {
      await retryMail(store, { leaseToken, ...immediateRetry(options) });
    },
    renewal: renewalOf('mails', options),
    fieldsOf: ({ id }) => ({ mail: id }),
  });
}

const renewalOf = (outbox: 'deliveries' | 'mails', { store, clock, leaseMs }: MessageLoopOptions) => ({
  everyMs: leaseMs / 3,
  renew: ({ leaseToken }: OutboxLease) =>
    extendLease(store, outbox, { leaseToken, now: clock.now(), leaseMs }),
});

const immediateRetry = ({ clock }: MessageLoopOptions) => ({
  nextAttemptAt: clock.now(),
  now: clock.now(),
  detail: 'The server was stopped.',
});

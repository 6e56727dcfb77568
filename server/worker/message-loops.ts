import { claimDueDeliveries, type ClaimedDelivery, retryDelivery } from '../store/alerts/deliveries.ts';
import { claimDueMails, type ClaimedMail, retryMail } from '../store/mail/mails.ts';
import { extendLease, type OutboxLease } from '../store/mail/outbox.ts';
import { HEARTBEAT_KEY } from '../store/operations/heartbeat.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import { deliver, type DelivererOptions, type DelivererParts } from './deliverer.ts';
import { sendMail } from './mailer.ts';

/** After this, other workers take over the messages of a killed process. Renewed while a message is being sent. */
const SENDING_LEASE_MS = 45_000;
const RENEW_MS = 15_000;
/** Mail servers limit connections; alerts are few and leave in seconds all the same. */
const MAX_CONCURRENT_EMAILS = 4;
/** Many, and separate from mail: a receiver that never answers holds a slot until it times out. */
const MAX_CONCURRENT_POSTS = 32;
const CLAIM_BATCH_SIZE = 4;
const MAX_CONCURRENT_ACCOUNT_MAILS = 2;

export type MessageLoopOptions = DelivererOptions &
  DelivererParts & {
    claimedBy: string;
    telemetry: Telemetry;
    /** In [0, 1). */
    random: () => number;
  };

/** Sends deliveries of alerts: one loop for mail, one for channels that speak HTTP. */
export function createDeliveryLoops(options: MessageLoopOptions): ClaimLoop[] {
  return [deliveryLoop('mail', options), deliveryLoop('http', options)];
}

function deliveryLoop(by: 'mail' | 'http', options: MessageLoopOptions): ClaimLoop {
  const { store, clock, claimedBy, telemetry } = options;
  const claimSome = (limit: number) =>
    claimDueDeliveries(store, { by, now: clock.now(), limit, leaseMs: SENDING_LEASE_MS, claimedBy });
  const loop = createClaimLoop<ClaimedDelivery>({
    ...options,
    name: by === 'mail' ? 'alert by mail' : 'alert over http',
    concurrency: by === 'mail' ? MAX_CONCURRENT_EMAILS : MAX_CONCURRENT_POSTS,
    claim: (limit) => (by === 'mail' ? claimSome(limit) : inSmallBatches(claimSome, limit)),
    async handle(delivery, stopping) {
      const { key, kind } = delivery.channel;
      const outcome = await deliver(delivery, options, stopping);
      telemetry.meters.delivery(key === HEARTBEAT_KEY ? 'heartbeat' : kind, outcome);
      // A delivery that had to wait for this one may leave now.
      if (by === 'http') loop.wake();
    },
    // Interrupted while sending: the next process retries at once with the same Message-ID.
    release: async ({ id, leaseToken }) => {
      await retryDelivery(store, { id, leaseToken, ...concurrencyOf(options) });
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

/** Claims a few at a time: only the next claim knows how many an account has in flight. */
async function inSmallBatches(
  claim: (limit: number) => Promise<ClaimedDelivery[]>,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (;;) {
    const some = await claim(Math.min(CLAIM_BATCH_SIZE, limit - claimed.length));
    claimed.push(...some);
    if (some.length === 0 || claimed.length >= limit) return claimed;
  }
}

/** Sends mails that are no alerts: verification, digests, notices. */
export function createMailLoop(options: MessageLoopOptions): ClaimLoop {
  const { store, clock, claimedBy, telemetry } = options;
  return createClaimLoop<ClaimedMail>({
    ...options,
    name: 'mail',
    concurrency: MAX_CONCURRENT_ACCOUNT_MAILS,
    claim: (limit) => claimDueMails(store, { now: clock.now(), limit, leaseMs: SENDING_LEASE_MS, claimedBy }),
    async handle(claimed, stopping) {
      telemetry.meters.delivery('mail', await sendMail(claimed, options, stopping));
    },
    release: async ({ id, leaseToken }) => {
      await retryMail(store, { id, leaseToken, ...concurrencyOf(options) });
    },
    renewal: renewalOf('mails', options),
    fieldsOf: ({ id }) => ({ mail: id }),
  });
}

const renewalOf = (outbox: 'deliveries' | 'mails', { store, clock }: MessageLoopOptions) => ({
  everyMs: RENEW_MS,
  renew: ({ id, leaseToken }: OutboxLease) =>
    extendLease(store, outbox, { id, leaseToken, now: clock.now(), leaseMs: SENDING_LEASE_MS }),
});

const concurrencyOf = ({ clock }: MessageLoopOptions) => ({
  nextAttemptAt: clock.now(),
  now: clock.now(),
  detail: 'The server was stopped.',
});

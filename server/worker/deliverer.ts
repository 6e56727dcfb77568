import type { DeliveryOutcome } from '../channels/definition.ts';
import type { HttpChannels } from '../channels/http-channels.ts';
import { alertContent } from '../channels/messages/alert-content.ts';
import type { AlertContent, AlertMessageInput, DomainOutage } from '../channels/messages/alert-input.ts';
import { alertMail } from '../channels/messages/alert-mail.ts';
import { readConfig, type StoredChannelConfig } from '../channels/kinds/index.ts';
import type { UnsubscribePair } from '../core/account-mail.ts';
import { tighterStepReachedAt } from '../core/alert-steps.ts';
import { nextAttemptAt } from '../core/retry.ts';
import { routingContext, type RoutingContext } from '../store/alerts/alert-settings.ts';
import { alertedDomains, type AlertedDomains } from '../store/alerts/shared-incidents.ts';
import { undeployedAddresses } from '../store/alerts/deployments.ts';
import type { ClaimedDelivery, DeliveryToSend } from '../store/alerts/claimed-delivery.ts';
import { deferDelivery, retryDelivery, settleDelivery } from '../store/alerts/deliveries.ts';
import { HEARTBEAT_KEY } from '../store/operations/heartbeat.ts';
import { isSuppressed } from '../store/mail/suppressions.ts';
import { unsubscribeTokens } from '../store/mail/unsubscriptions.ts';
import { withSpan } from '../telemetry/trace-context.ts';
import { type Heartbeat, sendHeartbeat } from './heartbeat.ts';
import { CLOCK_WAIT_MS, type OwnNetwork } from './own-network.ts';
import {
  type AttemptOutcome,
  makeSendAttempt,
  type SenderOptions,
  type SenderParts,
} from './send-attempt.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { count } from '../../contract/words.ts';

export interface DelivererOptions extends SenderOptions {
  channels: HttpChannels;
  /** Keys for the tokens of unsubscribe links. */
  unsubscribeKeys: UnsubscribePair<Buffer>;
  /** The heartbeat; null without HEARTBEAT_URL. */
  heartbeat: Heartbeat | null;
}

export interface DelivererParts extends SenderParts {
  ownNetwork: OwnNetwork;
}

/**
 * Sends a claimed delivery, or settles or defers it without sending. Renders the text anew for each attempt, because phrases like
 * "in 2 days" are soon wrong.
 */
export async function sendDelivery(
  claimed: ClaimedDelivery,
  options: DelivererOptions & DelivererParts,
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const { store, clock } = options;
  const { leaseToken, channel } = claimed;
  const lease = { leaseToken };
  const settle = async (outcome: 'failed' | 'superseded', detail: string): Promise<AttemptOutcome> => {
    await settleDelivery(store, { ...lease, outcome, detail, now: clock.now() });
    return outcome;
  };
  if (channel.key === HEARTBEAT_KEY) return sendHeartbeat(claimed, options, stopping);
  const delivery = await withoutOutdated(claimed, options);
  if (delivery === null) return 'superseded';
  const { alert } = delivery;
  // The channel is closed: supersede the delivery so that other channels send it. Test messages just fail.
  if (channel.isClosed)
    return settle(alert.kind === 'test' ? 'failed' : 'superseded', 'This channel is switched off.');
  const config = channel.config === null ? null : readConfig({ kind: channel.kind, config: channel.config });
  if (config === null && channel.config !== null) {
    options.log.error({ id: delivery.id, channel: channel.key }, 'the config of a channel cannot be read');
    return settle('failed', 'The settings of this channel cannot be read. Enter them again.');
  }
  if (alert.kind !== 'test' && !(await options.ownNetwork.clockIsRight())) {
    const until = clock.now() + CLOCK_WAIT_MS;
    const detail = 'Waiting: the server’s clock is wrong, so we cannot tell whether the alert still applies.';
    await deferDelivery(store, { ...lease, until, detail });
    return 'held';
  }
  const group = await messageGroupOf(delivery, options);
  const context = await contextOf(delivery, options);
  const newerAt = tighterStepAt(delivery, context, clock.now());
  if (newerAt !== null && clock.now() < newerAt + NEWER_STEP_MS) {
    const detail =
      'Waiting: a more urgent message about the same certificate is being prepared and will replace this one.';
    await deferDelivery(store, { ...lease, until: clock.now() + NEWER_STEP_MS / 10, detail });
    return 'held';
  }
  const about = { ...delivery, monitor: mostUrgent(delivery.monitor, group) };
  const waiting = await waitingOf(about, group, options);
  const content = contentOf(about, { context, group, waiting }, options);
  const isAboutSeveral = group !== null && group.domains.length > 1;
  if (config === null) return mailAlert(about, { content, isAboutSeveral, to: null }, options, stopping);
  return config.kind === 'email'
    ? mailAlert(about, { content, isAboutSeveral, to: config.address }, options, stopping)
    : postAlert(delivery, { content, config }, options, stopping);
}

/**
 * Settles the deliveries of a message that are outdated, or whose recipient unsubscribed. Returns the remaining ones as one
 * message that begins with the earliest outage; null if none remain.
 */
async function withoutOutdated(
  { others, leaseToken, ...first }: ClaimedDelivery,
  { store, clock }: DelivererOptions,
): Promise<ClaimedDelivery | null> {
  const reasonOf = ({ superseded, unsubscribed }: DeliveryToSend) =>
    superseded
      ? 'The problem is over, or a later message replaced this one.'
      : unsubscribed
        ? 'The recipient unsubscribed.'
        : null;
  const byReason = Map.groupBy([first, ...others], reasonOf);
  for (const [detail, outdated] of byReason)
    if (detail !== null)
      await settleDelivery(store, {
        leaseToken,
        rows: { ids: outdated.map(({ id }) => id), firstAttemptAt: first.firstAttemptAt },
        outcome: 'superseded',
        detail,
        now: clock.now(),
      });
  const [mostUrgent, ...rest] = (byReason.get(null) ?? []).toSorted(
    (left, right) => left.alert.facts.startedAt - right.alert.facts.startedAt,
  );
  return mostUrgent === undefined ? null : { ...mostUrgent, leaseToken, others: rest };
}

type MessageGroup = Omit<AlertedDomains, 'domains'> & {
  domains: (AlertedDomains['domains'][number] & { outage?: DomainOutage })[];
};

/**
 * Returns the domains of a message about several: those of merged outages, or those with the alert's certificate. Returns null if
 * only one domain ever had the problem.
 */
async function messageGroupOf(
  { others, ...first }: ClaimedDelivery,
  { store, clock }: DelivererOptions,
): Promise<MessageGroup | null> {
  const { alert, account, channel } = first;
  const { kind: problem, fingerprint, step, incidentId } = alert;
  if (others.length > 0) return { domains: outagesOf([first, ...others]), fixedCount: 0 };
  if (problem === 'test' || fingerprint === '' || incidentId === null) return null;
  const about = { accountId: account.id, incidentId, problem, fingerprint, step, channelKey: channel.key };
  const group = await alertedDomains(store, { ...about, now: clock.now() });
  return group.domains.length === 0 || group.domains.length + group.fixedCount === 1 ? null : group;
}

/** Returns the domains of merged outages, sorted by name. */
function outagesOf(merged: readonly DeliveryToSend[]): MessageGroup['domains'] {
  return merged
    .flatMap(({ monitor, alert: { incidentId, facts } }) =>
      monitor === null ? [] : [{ ...monitor, outage: { incidentId, ...facts } }],
    )
    .toSorted((left, right) => left.host.localeCompare(right.host) || left.port - right.port);
}

/** Returns the alert's monitor if it still has the problem, else the first monitor that has it. */
function mostUrgent(
  monitor: ClaimedDelivery['monitor'],
  group: AlertedDomains | null,
): ClaimedDelivery['monitor'] {
  if (group === null) return monitor;
  return group.domains.find(({ id }) => id === monitor?.id) ?? group.domains[0] ?? monitor;
}

const MAX_WAITING_DOMAINS = 10;

/**
 * Returns, for the first ten domains of a `not_deployed` alert, the addresses that do not serve the renewed certificate yet.
 * Returns undefined for other alerts.
 */
async function waitingOf(
  { alert, account, monitor }: ClaimedDelivery,
  group: AlertedDomains | null,
  { store }: DelivererOptions,
): Promise<AlertMessageInput['waiting']> {
  if (alert.kind !== 'not_deployed' || alert.step === 'resolved') return undefined;
  const domains = group?.domains ?? (monitor === null ? [] : [monitor]);
  const ids = domains.slice(0, MAX_WAITING_DOMAINS).map(({ id }) => id);
  return undeployedAddresses(store, { accountId: account.id, ids, deployment: alert.facts });
}

async function contextOf(
  { account, monitor }: ClaimedDelivery,
  { store, clock }: DelivererOptions,
): Promise<RoutingContext | null> {
  const now = clock.now();
  return (
    monitor && (await routingContext(store.db, { accountId: account.id, monitorId: monitor.id, now }, store))
  );
}

/** Time in ms for which an expiry alert waits once the next step is reached, because the alert of that step will replace it. */
const NEWER_STEP_MS = 5 * MINUTE_MS;

/**
 * Returns when a step nearer to the expiry than the alert's was reached, ms UTC; null if none was, and for alerts that are not
 * about an expiry. The alert of that step follows within seconds and reports the same problem.
 */
function tighterStepAt(
  { alert }: ClaimedDelivery,
  context: RoutingContext | null,
  now: number,
): number | null {
  const { certificate } = alert.facts;
  if (alert.kind !== 'expiry' || alert.step === 'resolved' || certificate === null) return null;
  const chosen = context?.settings.steps ?? null;
  return tighterStepReachedAt(certificate, { sent: alert.step, sentAt: alert.createdAt, now, chosen });
}

function contentOf(
  delivery: ClaimedDelivery,
  about: Pick<AlertMessageInput, 'group' | 'waiting'> & { context: RoutingContext | null },
  { clock, productName, publicUrl }: DelivererOptions,
): AlertContent {
  const { context, group, waiting } = about;
  const { alert, monitor, certificate, revoked, account } = delivery;
  return alertContent({
    alert,
    alertedAt: alert.createdAt,
    monitor,
    group,
    ...(waiting && { waiting }),
    certificate,
    revoked,
    productName,
    publicUrl,
    now: clock.now(),
    steps: context?.settings.steps ?? null,
    timeZone: account.timeZone,
  });
}

const leaseOf = ({ leaseToken, id, others, firstAttemptAt }: ClaimedDelivery) => ({
  leaseToken,
  rows: { ids: [id, ...others.map((other) => other.id)], firstAttemptAt },
});

/** Returns the receipt of a message. Each delivery of the message gets the same one. */
const receiptOf = ({ others }: ClaimedDelivery, detail: string): string =>
  others.length === 0 ? detail : `${detail} (one message about ${count(others.length + 1, 'host')})`;

async function mailAlert(
  delivery: ClaimedDelivery,
  {
    content,
    isAboutSeveral,
    to: added,
  }: { content: AlertContent; isAboutSeveral: boolean; to: string | null },
  options: DelivererOptions & DelivererParts,
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const { store, clock, productName, publicUrl, unsubscribeKeys } = options;
  const { account, channel, monitor, messageId, id, attempt, firstAttemptAt } = delivery;
  const lease = leaseOf(delivery);
  const to = added ?? account.email;
  if (await isSuppressed(store.db, to)) {
    const remedy = added === null ? '“Try again”' : '“Send the link again”';
    const detail = `Not sent: ${to} refused mail before. Use ${remedy} on the Alerts page.`;
    await settleDelivery(store, { ...lease, outcome: 'failed', detail, now: clock.now() });
    return 'failed';
  }
  const tokens = unsubscribeTokens(unsubscribeKeys, {
    accountId: account.id,
    channelKey: channel.key,
    monitorId: isAboutSeveral ? null : (monitor?.id ?? null),
  });
  const mail = alertMail(content, {
    recipient: added === null ? 'account' : 'added',
    accountEmail: account.email,
    monitor,
    isAboutSeveral,
    tokens,
    productName,
    publicUrl,
  });
  return makeSendAttempt(
    {
      message: { to, messageId, ...mail },
      id,
      attempt,
      firstAttemptAt,
      isProven: added !== null || account.emailVerified,
      isLink: false,
      isPast: () => false,
      settle: ({ outcome, detail, because, now }) =>
        settleDelivery(store, {
          ...lease,
          outcome,
          detail: receiptOf(delivery, detail),
          now,
          ...(because && { because }),
        }),
      retry: (nextAttempt, detail, now) =>
        retryDelivery(store, { ...lease, nextAttemptAt: nextAttempt, detail, now }),
      hold: (until, detail) => deferDelivery(store, { ...lease, until, detail }),
    },
    options,
    stopping,
  );
}

async function postAlert(
  delivery: ClaimedDelivery,
  { content, config }: { content: AlertContent; config: StoredChannelConfig },
  { store, clock, random, channels, log }: DelivererOptions,
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const { attempt, firstAttemptAt } = delivery;
  const lease = leaseOf(delivery);
  // The message ids of HTTP channels have no angle brackets and no domain.
  const messageId = delivery.messageId.replaceAll(/[<>]|@.*/g, '');
  const sent = await withSpan('send', {}, () =>
    channels.deliver(config, { content, messageId, now: clock.now() }, stopping),
  );
  const now = clock.now();
  const next = nextRetryAt(sent, { attempt, firstAttemptAt, now, jitter: random() });
  if (next !== null) {
    await retryDelivery(store, { ...lease, nextAttemptAt: next, detail: sent.detail, now });
    return 'retried';
  }
  const outcome = sent.outcome === 'delivered' ? 'delivered' : 'failed';
  if (outcome === 'failed') log.info({ id: delivery.id, detail: sent.detail }, 'an alert was not accepted');
  await settleDelivery(store, {
    ...lease,
    outcome,
    detail: receiptOf(delivery, sent.detail),
    ...(sent.outcome === 'failed' && sent.cause === 'gone' && { because: { gone: true } }),
    now,
  });
  return outcome;
}

function nextRetryAt(
  sent: DeliveryOutcome,
  tried: { attempt: number; firstAttemptAt: number; now: number; jitter: number },
): number | null {
  return sent.outcome === 'retry' ? nextAttemptAt('http', { ...tried, afterMs: sent.afterMs ?? 0 }) : null;
}

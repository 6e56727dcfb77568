import type { Plan } from '../plan.ts';
import type { AlertStep, PlannedAlert, Problem } from './alert.ts';
import type { RouteChoice, SharedIncident } from './incident.ts';
import { sendAt } from './silence.ts';
import { ACCOUNT_MAIL, type AlertSettings } from './settings.ts';
import type { ChannelKindName } from '../../../contract/words.ts';

export type ChannelKind = ChannelKindName;

/** The data of a channel that routing needs. */
export interface ChannelState {
  /** `ACCOUNT_MAIL`, or the id of an added channel. */
  key: string;
  kind: ChannelKind;
  /**
   * Whether the channel is confirmed and on and, for mail, its address is not suppressed. Always true for `ACCOUNT_MAIL`.
   */
  isOpen: boolean;
  /** Whether the reader unsubscribed from everything or from this domain. */
  isUnsubscribed: boolean;
}

/** A channel for an alert, and the earliest time to send it, `leavesAt` (ms UTC). */
export interface AlertRoute {
  key: string;
  kind: ChannelKind;
  leavesAt: number;
}

/** The stored data that alerts and their routes depend on. */
export interface AlertContext {
  plan: Plan;
  /** Time zone as an IANA name; null means UTC. */
  timeZone: string | null;
  /** Every channel of the account, its own address first. */
  channels: readonly ChannelState[];
  /** End of the current maintenance, ms UTC; null if there is none. */
  maintenanceUntil: number | null;
  /** Deliveries of the known incidents. */
  deliveries: readonly EarlierDelivery[];
  /** The incidents that `concernedCertificates` asks for. */
  shared: readonly SharedIncident[];
}

export interface EarlierDelivery {
  incidentId: string;
  step: AlertStep;
  channelKey: string;
  state: 'waiting' | 'delivered' | 'failed' | 'superseded';
  /** Whether an attempt has started and its result is not recorded yet. */
  isBeingSent: boolean;
}

/** An alert with its channels. Without any channel, nobody can be notified now. */
export type RoutedAlert = PlannedAlert & { routes: AlertRoute[] };

/** Problems of the certificate itself: all domains that serve it have them, even before their own checks find them. */
const PROBLEMS_OF_CERTIFICATE: readonly Problem[] = [
  'expiry',
  'revoked',
  'replacement_wanted',
  'renewal_fails',
];

/** Returns whether an alert is sent that names all domains with the certificate, even if their own checks have not run yet. */
export function namesAllServing({ problem, step, routes }: RoutedAlert): boolean {
  return PROBLEMS_OF_CERTIFICATE.includes(problem) && step !== 'resolved' && routes.length > 0;
}

/**
 * Returns whether messages may be sent to a channel: its recipient confirmed it, and nobody switched it off. Mail to the account's
 * own address is always open.
 */
export function isChannelOpen(
  key: string,
  { confirmedAt, disabledAt }: { confirmedAt: number | null; disabledAt: number | null },
): boolean {
  return key === ACCOUNT_MAIL || (confirmedAt !== null && disabledAt === null);
}

/** Returns whether a plan includes a channel. Mail to the account's own address is part of every plan. */
export function mayUseChannel(plan: Plan, key: string): boolean {
  return plan === 'premium' || key === ACCOUNT_MAIL;
}

/**
 * Returns the channels for an alert, each with the earliest time to send it (ms UTC, see `sendAt`). If no chosen channel
 * can be used, the fallback is mail to the account's own address.
 */
export function routeAlert(
  alert: Pick<PlannedAlert, 'severity'>,
  to: {
    channels: readonly ChannelState[];
    settings: Pick<AlertSettings, 'channels' | 'quietHours'>;
    plan: Plan;
    timeZone: string | null;
    now: number;
  },
): AlertRoute[] {
  const { settings, plan, timeZone, now } = to;
  const at = sendAt(now, alert.severity, { quietHours: settings.quietHours, timeZone });
  const open = to.channels.filter(
    ({ key, isOpen, isUnsubscribed }) => isOpen && !isUnsubscribed && mayUseChannel(plan, key),
  );
  const chosen = open.filter(({ key }) => settings.channels === null || settings.channels.includes(key));
  // Only the system account has an empty choice of channels; it gets no fallback. Users get one, because they may not know
  // yet that a chosen channel is gone.
  const needsFallback = chosen.length === 0 && settings.channels?.length !== 0;
  const reached = needsFallback ? open.filter(({ key }) => key === ACCOUNT_MAIL) : chosen;
  return reached.map(({ key, kind }) => ({ key, kind, leavesAt: at }));
}

/**
 * Returns the alert with its routes. Omits channels on which the same step failed for good. A recovery goes
 * only to channels on which the problem was delivered or is being sent.
 */
export function routeInContext(
  alert: PlannedAlert,
  { settings, context, now }: { settings: AlertSettings; context: AlertContext; now: number },
): RoutedAlert {
  const { problem, step } = alert;
  const earlier = context.deliveries.filter(({ incidentId }) => incidentId === alert.incidentId);
  const failedOn = earlier.filter((one) => one.step === step && one.state === 'failed');
  const channels = context.channels.filter(({ key }) =>
    failedOn.every(({ channelKey }) => channelKey !== key),
  );
  const shared = context.shared.find(
    (one) => one.problem === problem && one.fingerprint === alert.fingerprint,
  );
  const routes = combined([
    routeAlert(alert, { ...context, channels, settings, now }),
    ...(shared?.choices ?? []).map((choice) =>
      routeAlert(alert, {
        ...context,
        channels: channelsFor(channels, choice),
        settings: choice.settings,
        now,
      }),
    ),
  ]);
  if (step !== 'resolved') return { ...alert, routes };
  // The recovery from an outage also goes to channels on which the outage alert is still queued or has failed.
  const notified = earlier.filter(({ state, isBeingSent }) =>
    problem === 'down'
      ? state !== 'superseded'
      : state === 'delivered' || (state === 'waiting' && isBeingSent),
  );
  return {
    ...alert,
    routes: routes.filter(({ key }) => notified.some(({ channelKey }) => channelKey === key)),
  };
}

function channelsFor(channels: readonly ChannelState[], { unsubscribed }: RouteChoice): ChannelState[] {
  return channels.map((channel) => ({ ...channel, isUnsubscribed: unsubscribed.includes(channel.key) }));
}

/** Combines the routes of several domains: each channel once, at the earliest of its times. */
function combined(routes: readonly AlertRoute[][]): AlertRoute[] {
  const byKey = new Map<string, AlertRoute>();
  for (const route of routes.flat()) {
    const leavesAt = Math.min(route.leavesAt, byKey.get(route.key)?.leavesAt ?? Infinity);
    byKey.set(route.key, { ...route, leavesAt });
  }
  return [...byKey.values()];
}

import type { Plan } from '../plan.ts';
import type { PlannedAlert } from './alert.ts';
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

import type { Plan } from '../plan.ts';
import type { PlannedAlert } from './alert.ts';
import { leavesAt } from './silence.ts';
import { ACCOUNT_MAIL, type AlertSettings } from './settings.ts';

export type ChannelKind =
  'email' | 'webhook' | 'slack' | 'discord' | 'teams' | 'telegram' | 'pagerduty' | 'ntfy';

/** A way to reach somebody, as far as the choice of channels goes. */
export interface ChannelState {
  /** `ACCOUNT_MAIL`, or the id of one that was added. */
  key: string;
  kind: ChannelKind;
  /** On, confirmed where it has to be, and no address that refuses mail. */
  isOpen: boolean;
  /** Who reads it asked for no more mail, in all or of this domain. */
  isUnsubscribed: boolean;
}

/** A channel that an alert goes to, and from when on (ms UTC) it may leave. */
export interface AlertRoute {
  key: string;
  kind: ChannelKind;
  leavesAt: number;
}

/** Only mail to the account's own address comes with every plan. */
export function mayUseChannel(plan: Plan, key: string): boolean {
  return plan === 'premium' || key === ACCOUNT_MAIL;
}

/**
 * Where an alert goes, and from when on (ms UTC) it may leave: a quiet hour holds back what can wait. Where none of the chosen
 * channels takes anything any more, mail to the account's own address does.
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
  const at = leavesAt(now, alert.severity, { quietHours: settings.quietHours, timeZone });
  const open = to.channels.filter(
    ({ key, isOpen, isUnsubscribed }) => isOpen && !isUnsubscribed && mayUseChannel(plan, key),
  );
  const chosen = open.filter(({ key }) => settings.channels === null || settings.channels.includes(key));
  // Nobody can choose none at all: only the account that the product watches itself by has it. Who chose one that is gone does not
  // know yet that it is.
  const isNobodyLeft = chosen.length === 0 && settings.channels?.length !== 0;
  const reached = isNobodyLeft ? open.filter(({ key }) => key === ACCOUNT_MAIL) : chosen;
  return reached.map(({ key, kind }) => ({ key, kind, leavesAt: at }));
}

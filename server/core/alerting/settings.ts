import type { ChosenStep } from '../alert-steps.ts';
import type { Plan } from '../plan.ts';
import type { AlertStep, Problem } from './alert.ts';
import type { MutableEvent } from '../../../contract/words.ts';

/** Minutes after midnight, local time; an end before the start is on the next day. */
export interface QuietHours {
  fromMinute: number;
  toMinute: number;
  /** Critical alerts are sent all the same. */
  criticalAlways: boolean;
}

export interface AlertSettings {
  /** Keys of channels (`ACCOUNT_MAIL` or an id); null: every channel, including later ones. */
  channels: string[] | null;
  /** null: the default steps, which fit every lifetime. */
  steps: ChosenStep[] | null;
  quietHours: QuietHours | null;
  muted: MutableEvent[];
}

/** The settings in which a domain differs from its account; absent ones follow the account. */
export type DomainAlertSettings = Partial<AlertSettings>;

/** The key of the channel that every account has: mail to its own address. */
export const ACCOUNT_MAIL = 'email';

export const DEFAULT_ALERT_SETTINGS: AlertSettings = {
  channels: null,
  steps: null,
  quietHours: null,
  muted: [],
};

/**
 * Returns the settings that apply to a domain. Steps of its own need Premium; without it they are kept, but
 * inactive.
 */
export function effectiveSettings(
  account: AlertSettings,
  domain: DomainAlertSettings | null,
  plan: Plan,
): AlertSettings {
  const { steps, ...rest } = domain ?? {};
  return { ...account, ...rest, ...(steps !== undefined && plan === 'premium' && { steps }) };
}

/** Returns whether the settings turn an event off. */
export function isMuted(settings: Pick<AlertSettings, 'muted'>, problem: Problem, step: AlertStep): boolean {
  if (problem === 'down') return settings.muted.includes('uptime');
  if (problem === 'changed' || problem === 'replacement_wanted') return settings.muted.includes(problem);
  return step === 'resolved' && settings.muted.includes('good_news');
}

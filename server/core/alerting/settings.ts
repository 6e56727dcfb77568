import type { ChosenStep } from '../alert-steps.ts';
import type { Plan } from '../plan.ts';
import type { AlertStep, Problem } from './alert.ts';
import type { MutableEvent } from '../../../contract/words.ts';

/** A daily period in minutes after midnight, local time; an end before the start is on the next day. */
export interface QuietHours {
  fromMinute: number;
  toMinute: number;
  /** Whether critical alerts are sent in quiet hours too. */
  criticalAlways: boolean;
}

export interface AlertSettings {
  /** Keys of channels (`ACCOUNT_MAIL` or an id); null for every channel, including later ones. */
  channels: string[] | null;
  /** Chosen alert steps; null for the default steps, which fit every lifetime. */
  steps: ChosenStep[] | null;
  quietHours: QuietHours | null;
  muted: MutableEvent[];
}

/** The settings in which a domain differs from its account; absent ones are those of the account. */
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
 * Returns the settings that apply to a domain. Its own steps need Premium; without Premium they are kept, but have no effect.
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

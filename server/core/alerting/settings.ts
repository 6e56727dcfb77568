import type { ChosenStep } from '../alert-steps.ts';
import type { Plan } from '../plan.ts';
import type { AlertStep, Problem } from './alert.ts';

/** What people can do without. Expiry, revocation, a wrong name and a broken chain are what the product is for. */
export type MutableEvent = 'uptime' | 'changed' | 'replacement_wanted' | 'good_news';

/** Minutes after midnight, local time; an end before the beginning is on the next day. */
export interface QuietHours {
  fromMinute: number;
  toMinute: number;
  /** What is critical goes out all the same. */
  criticalAlways: boolean;
}

export interface AlertSettings {
  /** Keys of channels (`ACCOUNT_MAIL` or an id); null: every one, also those to come. */
  channels: string[] | null;
  /** null: the product's own steps, which fit every lifetime. */
  steps: ChosenStep[] | null;
  quietHours: QuietHours | null;
  muted: MutableEvent[];
}

/** What a domain does otherwise than its account; what is absent follows the account. */
export type DomainAlertSettings = Partial<AlertSettings>;

/** The key of the channel that every account has: mail to its own address. */
export const ACCOUNT_MAIL = 'email';

export const DEFAULT_ALERT_SETTINGS: AlertSettings = {
  channels: null,
  steps: null,
  quietHours: null,
  muted: [],
};

/** What holds for a domain. Steps of its own come with Premium; without it they rest, and nothing is deleted. */
export function effectiveSettings(
  account: AlertSettings,
  domain: DomainAlertSettings | null,
  plan: Plan,
): AlertSettings {
  const { steps, ...rest } = domain ?? {};
  return { ...account, ...rest, ...(steps !== undefined && plan === 'premium' && { steps }) };
}

/** Whether somebody asked not to hear of this. */
export function isMuted(settings: Pick<AlertSettings, 'muted'>, problem: Problem, step: AlertStep): boolean {
  if (problem === 'down') return settings.muted.includes('uptime');
  if (problem === 'changed' || problem === 'replacement_wanted') return settings.muted.includes(problem);
  return step === 'resolved' && settings.muted.includes('good_news');
}

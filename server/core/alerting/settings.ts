import type { ChosenStep } from '../alert-steps.ts';
import type { Plan } from '../plan.ts';
import type { AlertStep, Problem } from './alert.ts';
import type { MutableEvent } from '../../../contract/check-words.ts';

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

/** The settings that a domain overrides. The others are those of its account. */
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

/** Returns whether a plan permits a domain's new steps. Unchanged ones may stay, although they are inactive without Premium. */
export function maySetSteps(
  plan: Plan,
  { before, after }: { before: DomainAlertSettings | null; after: DomainAlertSettings },
): boolean {
  return plan === 'premium' || after.steps === undefined || isSame(after.steps, before?.steps);
}

/**
 * Returns whether a change may alter the alerts of the next check. Quiet hours cannot, because they only delay
 * messages.
 */
export function affectsAlerts(before: AlertSettings, after: AlertSettings): boolean {
  return (['channels', 'steps', 'muted'] as const).some((part) => !isSame(before[part], after[part]));
}

/** Returns whether two lists have equal elements in the same order. Null equals only null, and undefined only undefined. */
function isSame(one: readonly string[] | null | undefined, other: typeof one): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the channels of a choice that exist, in the order of `existing`. Returns null (every channel) if none does, because an
 * empty list would stop all alerts.
 */
export function existingChannels(
  chosen: AlertSettings['channels'],
  existing: readonly string[],
): AlertSettings['channels'] {
  if (chosen === null) return null;
  const kept = existing.filter((key) => chosen.includes(key));
  return kept.length === 0 ? null : kept;
}

/** Limits a domain's choice of channels to those that exist. If none does, the domain uses the account's choice. */
export function withExistingChannels(
  { channels, ...rest }: DomainAlertSettings,
  existing: readonly string[],
): DomainAlertSettings {
  if (channels === undefined) return rest;
  const kept = existingChannels(channels, existing);
  return channels !== null && kept === null ? rest : { ...rest, channels: kept };
}

/** Returns whether the settings turn an event off. */
export function isMuted(settings: Pick<AlertSettings, 'muted'>, problem: Problem, step: AlertStep): boolean {
  if (problem === 'down') return settings.muted.includes('uptime');
  if (problem === 'changed' || problem === 'replacement_wanted') return settings.muted.includes(problem);
  if (settings.muted.some((event) => event === problem)) return true;
  return step === 'resolved' && settings.muted.includes('good_news');
}

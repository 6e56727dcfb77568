import type { AlertSettingsWire, DomainAlertSettingsWire } from '../../../../contract/alerting.ts';
import type { ChannelWire } from '../../../../contract/channel.ts';
import { sortedSteps, stepWords } from '../../../lib/alerts/step-words.ts';

/** What a domain can do otherwise than its account, in the order in which it is shown. */
export const PARTS = ['steps', 'channels', 'quiet_hours', 'muted'] as const;
export type Part = (typeof PARTS)[number];

export const PART_TITLES: Record<Part, string> = {
  steps: 'Steps',
  channels: 'Channels',
  quiet_hours: 'Quiet hours',
  muted: 'What it tells of',
};

const MUTED_WORDS: Record<AlertSettingsWire['muted'][number], string> = {
  uptime: 'down and up',
  changed: 'unexpected changes',
  replacement_wanted: 'replacements',
  good_news: 'good news',
};

/** What holds of one part, in a line. `channels` are those of the account; undefined while they are not known. */
export function partLine(
  part: Part,
  settings: AlertSettingsWire,
  channels: readonly ChannelWire[] | undefined,
): string {
  if (part === 'steps') return stepsLine(settings.steps);
  if (part === 'channels') return channelsLine(settings.channels, channels);
  if (part === 'quiet_hours') return quietHoursLine(settings.quiet_hours);
  if (settings.muted.length === 0) return 'Everything';
  return `Everything but ${listed(settings.muted.map((name) => MUTED_WORDS[name]))}`;
}

/** 'Own steps and quiet hours', or that there is nothing of its own. */
export function ownLine(own: DomainAlertSettingsWire): string {
  const parts = PARTS.filter((part) => own[part] !== undefined);
  if (parts.length === 0) return 'As in your account';
  const names = parts.map((part) =>
    part === 'muted' ? 'choice of events' : PART_TITLES[part].toLowerCase(),
  );
  return `Own ${listed(names)}`;
}

/** The settings without one part: it follows the account again. */
export function without(own: DomainAlertSettingsWire, part: Part): DomainAlertSettingsWire {
  const { [part]: _, ...rest } = own;
  return rest;
}

function stepsLine(steps: AlertSettingsWire['steps']): string {
  if (steps === null) return 'Our own, which fit every lifetime';
  const words = sortedSteps(steps).map(stepWords).join(', ');
  return `${words}, and when it expires`;
}

function channelsLine(
  keys: AlertSettingsWire['channels'],
  channels: readonly ChannelWire[] | undefined,
): string {
  if (keys === null) return 'All of them';
  const chosen = channels?.filter(({ key }) => keys.includes(key));
  if (!chosen) return keys.length === 1 ? 'One of them' : `${keys.length} of them`;
  return chosen.length === 0 ? 'None: nobody is told' : chosen.map(({ name }) => name).join(', ');
}

function quietHoursLine(quietHours: AlertSettingsWire['quiet_hours']): string {
  if (quietHours === null) return 'None';
  const { from_minute: from, to_minute: to, critical_always: critical } = quietHours;
  return `${clock(from)} to ${clock(to)}${critical ? ', critical alerts always' : ''}`;
}

/** '7:05' */
function clock(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

import type {
  AlertSettingsWire,
  DomainAlertSettingsWire,
  DomainAlertsWire,
} from '../../../contract/alerting.ts';
import type { ChannelWire } from '../../../contract/channel.ts';
import { sortedSteps, stepWords } from '../../lib/alerts/delivery-words.ts';
import { counted, listed } from '../../lib/format.ts';

/** The settings that a domain can override, in display order. */
export const PARTS = ['steps', 'channels', 'quiet_hours', 'muted'] as const;
export type Part = (typeof PARTS)[number];

export const PART_TITLES: Record<Part, string> = {
  steps: 'Steps',
  channels: 'Channels',
  quiet_hours: 'Quiet hours',
  muted: 'Events',
};

const MUTED_WORDS: Record<AlertSettingsWire['muted'][number], string> = {
  uptime: 'outages',
  changed: 'unexpected changes',
  replacement_wanted: 'replacement requests',
  not_deployed: 'unfinished renewals',
  refused_from: 'refusals ahead',
  renewal_fails: 'failing renewals',
  registration: 'domain registrations',
  good_news: 'recovery',
};

/** Returns one line about a part. `channels` are the account's channels; undefined while they load. */
export function partLine(
  part: Part,
  settings: AlertSettingsWire,
  channels: readonly ChannelWire[] | undefined,
): string {
  if (part === 'steps') return stepsLine(settings.steps);
  if (part === 'channels') return channelsLine(settings.channels, channels);
  if (part === 'quiet_hours') return quietHoursLine(settings.quiet_hours);
  if (settings.muted.length === 0) return 'All events';
  return `All events except ${listed(settings.muted.map((name) => MUTED_WORDS[name]))}`;
}

/** Returns 'Custom steps and quiet hours', or 'Account defaults'. */
export function ownLine(own: DomainAlertSettingsWire): string {
  const parts = PARTS.filter((part) => own[part] !== undefined);
  if (parts.length === 0) return 'Account defaults';
  const names = parts.map((part) =>
    part === 'muted' ? 'choice of events' : PART_TITLES[part].toLowerCase(),
  );
  return `Custom ${listed(names)}`;
}

/** Returns the settings as the panel shows them. Shows the domain's own steps even after Premium, which they need, has ended. */
export const shownSettings = ({
  effective,
  own,
}: Pick<DomainAlertsWire, 'effective' | 'own'>): AlertSettingsWire => ({ ...effective, ...own });

/** Returns the domain's settings without one part, so that this part follows the account again. */
export function withoutPart(own: DomainAlertSettingsWire, part: Part): DomainAlertSettingsWire {
  const { [part]: _, ...rest } = own;
  return rest;
}

function stepsLine(steps: AlertSettingsWire['steps']): string {
  if (steps === null) return 'Automatic, scaled with the lifetime';
  const words = sortedSteps(steps).map(stepWords).join(', ');
  return `${words}, and when it expires`;
}

function channelsLine(
  keys: AlertSettingsWire['channels'],
  channels: readonly ChannelWire[] | undefined,
): string {
  if (keys === null) return 'All channels';
  const chosen = channels?.filter(({ key }) => keys.includes(key));
  if (!chosen) return counted(keys.length, 'channel');
  return chosen.length === 0
    ? 'None left: alerts go to your own address'
    : chosen.map(({ name }) => name).join(', ');
}

function quietHoursLine(quietHours: AlertSettingsWire['quiet_hours']): string {
  if (quietHours === null) return 'None';
  const { from_minute: from, to_minute: to, critical_always: critical } = quietHours;
  return `${clock(from)} to ${clock(to)}${critical ? ', except critical alerts' : ''}`;
}

/** Formats minutes after midnight: '7:05'. */
function clock(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
}

import { currentZoneName } from '../../../contract/time-zone.ts';
import type { SelectOption } from '../../ui/form/select-field.tsx';

interface TimeZones {
  /** The zones that the browser lists, some of them under outdated names. */
  zones: readonly string[];
  /** The account's zone, which the browser may not list. */
  own: string | null;
  /** The browser's zone, offered first unless the account has it. */
  here: string;
}

/** Returns the options: UTC, the browser's zone, then the others by region in alphabetical order. */
export function timeZoneOptions({
  zones,
  own,
  here: browserZone,
}: TimeZones): (SelectOption | { group: string; options: SelectOption[] })[] {
  const here = currentZoneName(browserZone);
  const isOffered = here !== own && here !== 'UTC';
  const others = new Set([...zones.map(currentZoneName), ...(own === null ? [] : [own])]);
  others.delete('UTC');
  if (isOffered) others.delete(here);
  const regions = Map.groupBy([...others].toSorted(), (zone) =>
    zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : 'Other',
  );
  return [
    { value: 'UTC', label: 'UTC only' },
    ...(isOffered
      ? [{ group: 'This browser', options: [{ value: here, label: here.replaceAll('_', ' ') }] }]
      : []),
    ...[...regions].map(([group, members]) => ({
      group,
      options: members.map((zone) => ({ value: zone, label: labelOf(zone) })),
    })),
  ];
}

/** Returns 'Buenos Aires, Argentina' for 'America/Argentina/Buenos_Aires'. */
function labelOf(zone: string): string {
  const parts = zone.replaceAll('_', ' ').split('/');
  return (parts.length > 1 ? parts.slice(1) : parts).toReversed().join(', ');
}

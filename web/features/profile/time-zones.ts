export interface TimeZoneGroup {
  /** As 'Europe'. */
  region: string;
  zones: { zone: string; label: string }[];
}

/** The zones by region but UTC, in alphabetical order; `own`, the account's, is among them even if this browser does not list it. */
export function timeZoneGroups(zones: readonly string[], own: string | null): TimeZoneGroup[] {
  const all = own === null || zones.includes(own) ? zones : [...zones, own];
  const groups = Map.groupBy(
    all.filter((zone) => zone !== 'UTC').toSorted(),
    (zone) => (zone.includes('/') ? zone.split('/')[0] : 'Other') ?? '',
  );
  return [...groups].map(([region, members]) => ({
    region,
    zones: members.map((zone) => ({ zone, label: labelOf(zone) })),
  }));
}

/** 'America/Argentina/Buenos_Aires' as 'Buenos Aires, Argentina'. */
function labelOf(zone: string): string {
  const parts = zone.replaceAll('_', ' ').split('/');
  return (parts.length > 1 ? parts.slice(1) : parts).toReversed().join(', ');
}

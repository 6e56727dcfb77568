import { type RawBuilder, sql } from 'kysely';

/**
 * A position in a sorted list of monitors, for keyset pagination: right behind a monitor with these
 * values. Instants are ms UTC.
 */
export type MonitorPlace =
  | { sort: 'newest'; createdAt: number; id: string }
  /** Null: no certificate is known; such monitors come last. */
  | { sort: 'soonest'; notAfter: number | null; id: string }
  | { sort: 'name'; host: string; port: number };

interface Placed {
  id: string;
  createdAt: number;
  /** Of the certificate last seen. */
  notAfter: number | null;
  host: string;
  port: number;
}

export function placeOf(
  { id, createdAt, notAfter, host, port }: Placed,
  sort: MonitorPlace['sort'],
): MonitorPlace {
  if (sort === 'newest') return { sort, createdAt, id };
  return sort === 'soonest' ? { sort, notAfter, id } : { sort, host, port };
}

/** Returns an SQL condition for rows of `monitor_listing` behind the place. */
export function isAfter(place: MonitorPlace): RawBuilder<boolean> {
  if (place.sort === 'newest')
    return sql<boolean>`(created_at, monitor_id) < (${place.createdAt}, ${place.id})`;
  if (place.sort === 'name') return sql<boolean>`(host, port) > (${place.host}, ${place.port})`;
  return place.notAfter === null
    ? sql<boolean>`(not_after is null and monitor_id > ${place.id})`
    : sql<boolean>`((not_after, monitor_id) > (${place.notAfter}, ${place.id}) or not_after is null)`;
}

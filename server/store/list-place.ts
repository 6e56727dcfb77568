import { type Expression, type RawBuilder, sql } from 'kysely';
import { byCodePoint, type DialectName } from './dialect.ts';

/** A place in the order of a list of monitors: right behind a monitor that had these values. Instants are ms UTC. */
export type MonitorPlace =
  | { sort: 'newest'; createdAt: number; id: string }
  /** Null: no certificate is known. Those come last. */
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

/** What comes behind the place. `id`: the column that has the monitor's id. */
export function isAfter(
  place: MonitorPlace,
  dialect: DialectName,
  id: Expression<string>,
): RawBuilder<boolean> {
  if (place.sort === 'newest') return sql<boolean>`(created_at, ${id}) < (${place.createdAt}, ${place.id})`;
  if (place.sort === 'name') {
    const host = byCodePoint(dialect, sql.ref<string>('host'));
    return sql<boolean>`(${host}, port) > (${place.host}, ${place.port})`;
  }
  return place.notAfter === null
    ? sql<boolean>`(not_after is null and ${id} > ${place.id})`
    : sql<boolean>`((not_after, ${id}) > (${place.notAfter}, ${place.id}) or not_after is null)`;
}

import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Store } from '../db/open-store.ts';
import { exactLevels, isDescending, type OrderLevels } from './domain-state.ts';
import { type ExpiryPlace, selectMatching, type SortedFilter } from './monitor-filter.ts';

/** The values that determine a monitor's position in an order that consists of levels. `urgency` is the number of its level. */
export interface LevelRow {
  monitor_id: string;
  not_after: number | null;
  urgency: number;
}

interface Part {
  offset: number;
  limit: number;
  after?: (ExpiryPlace & { urgency: number }) | null;
  isBackwards?: boolean;
}

/**
 * Returns a page of many matches in an order that consists of levels, see `levelsOf`. An index has the order within a level, so
 * this only reads rows of the levels that the page shows.
 */
export async function pageOfLevels(
  store: Store,
  query: SortedFilter,
  { total, offset, limit, after, levels }: Part & { total: number; levels: OrderLevels },
): Promise<LevelRow[]> {
  const isReversed = isDescending(query);
  const conditions = exactLevels(levels.tests);
  const counts =
    offset === 0 ? null : await countLevels(store, query, { conditions, largest: levels.largest, total });
  // Use a map by id: a monitor that moves to another level between two reads would otherwise appear twice.
  const rows = new Map<string, LevelRow>();
  let skipped = offset;
  const inOrder = [...conditions.entries()];
  for (const [level, condition] of isReversed ? inOrder.toReversed() : inOrder) {
    if (rows.size >= limit) break;
    if (after && (isReversed ? level > after.urgency : level < after.urgency)) continue;
    const count = counts?.[level];
    if (count !== undefined && skipped >= count) {
      skipped -= count;
      continue;
    }
    const part = {
      offset: skipped,
      limit: limit - rows.size,
      after: after?.urgency === level ? after : null,
    };
    const select = (wanted: Part) => selectPart(store, query, condition, wanted);
    for (const row of await fromNearerEnd(part, count, select))
      rows.set(row.monitor_id, { ...row, urgency: level });
    skipped = 0;
  }
  return [...rows.values()];
}

type PartRow = Omit<LevelRow, 'urgency'>;

/** Reads a part of a level with `count` rows. Reads from the nearer end, so that the last page is as fast as the first. */
async function fromNearerEnd(
  part: Part,
  count: number | undefined,
  select: (part: Part) => Promise<PartRow[]>,
): Promise<PartRow[]> {
  if (count === undefined || part.offset <= count / 2) return select(part);
  const limit = Math.min(part.limit, count - part.offset);
  return (await select({ offset: count - part.offset - limit, limit, isBackwards: true })).toReversed();
}

async function selectPart(
  store: Store,
  query: SortedFilter,
  condition: RawBuilder<boolean>,
  { offset, limit, after, isBackwards = false }: Part,
): Promise<PartRow[]> {
  const isReversed = isDescending(query);
  const level = selectMatching(store, query).where(condition).select(['monitor_id', 'not_after']);
  const rest = after ? level.where(comesAfterInExpiryOrder(after, isReversed)) : level;
  return byExpiry(rest, isBackwards !== isReversed)
    .limit(limit)
    .offset(offset)
    .execute();
}

/**
 * Returns the number of matches of each level. Computes that of the largest level as the total minus the others, because counting
 * it is slow.
 */
async function countLevels(
  store: Store,
  query: SortedFilter,
  {
    conditions,
    largest,
    total,
  }: { conditions: readonly RawBuilder<boolean>[]; largest: number; total: number },
): Promise<number[]> {
  const [first, ...others] = conditions.map((condition, level) =>
    selectMatching(store, query)
      .where(level === largest ? sql<boolean>`false` : condition)
      .select((eb) => [sql.lit(level).as('level'), eb.fn.countAll<number>().as('count')]),
  );
  if (!first) return [];
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute();
  const counts = rows.toSorted((one, other) => one.level - other.level).map(({ count }) => count);
  counts[largest] = total - counts.reduce((sum, count) => sum + count, 0);
  return counts;
}

/** Sorts by expiry. Monitors without a certificate come last or, with `isBackwards`, first. */
export function byExpiry<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  isBackwards: boolean,
): SelectQueryBuilder<DB, TB, O> {
  return rows
    .orderBy(sql.ref('not_after'), (order) =>
      isBackwards ? order.desc().nullsFirst() : order.asc().nullsLast(),
    )
    .orderBy(sql.ref('monitor_id'), isBackwards ? 'desc' : 'asc');
}

/** Returns an SQL condition for rows that come after `{ notAfter, id }` in the order of `byExpiry`. */
export function comesAfterInExpiryOrder(
  { notAfter, id }: ExpiryPlace,
  isBackwards = false,
): RawBuilder<boolean> {
  if (isBackwards)
    return notAfter === null
      ? sql<boolean>`((not_after is null and monitor_id < ${id}) or not_after is not null)`
      : sql<boolean>`(not_after, monitor_id) < (${notAfter}, ${id})`;
  return notAfter === null
    ? sql<boolean>`(not_after is null and monitor_id > ${id})`
    : sql<boolean>`((not_after, monitor_id) > (${notAfter}, ${id}) or not_after is null)`;
}

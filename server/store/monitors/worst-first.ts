import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { ATTENTION_REASONS } from '../../../contract/words.ts';
import type { Store } from '../db/open-store.ts';
import { urgency, urgencyLevels } from './domain-state.ts';
import { type ExpiryPlace, matching, type MonitorFilter, type WorstCursor } from './monitor-filter.ts';

interface Part {
  offset: number;
  limit: number;
  after?: WorstCursor | null;
  isBackwards?: boolean;
}

/**
 * Returns the ids of a page of many matches, worst first. The level of a monitor depends on the time, so no index has this order. But
 * each level is a range of an index that has the order within the level, so rows are read only from the levels of the page.
 */
export async function pageOfWorst(
  store: Store,
  filter: MonitorFilter,
  { total, offset, limit, after }: Part & { total: number },
): Promise<string[]> {
  const counts = offset === 0 ? null : await countLevels(store, filter, total);
  // A set, because a monitor can reach another level between two reads.
  const ids = new Set<string>();
  let skipped = offset;
  for (const [level, condition] of urgencyLevels(filter.now).entries()) {
    if (ids.size >= limit) break;
    if (after && level < after.urgency) continue;
    const count = counts?.[level];
    if (count !== undefined && skipped >= count) {
      skipped -= count;
      continue;
    }
    const part = { offset: skipped, limit: limit - ids.size, after: after?.urgency === level ? after : null };
    const select = (wanted: Part) => selectPart(store, filter, condition, wanted);
    for (const id of await fromNearerEnd(part, count, select)) ids.add(id);
    skipped = 0;
  }
  return [...ids];
}

/** Reads a part of `count` rows from the nearer end, so that the last page costs as much as the first. */
async function fromNearerEnd(
  part: Part,
  count: number | undefined,
  select: (part: Part) => Promise<string[]>,
): Promise<string[]> {
  if (count === undefined || part.offset <= count / 2) return select(part);
  const limit = Math.min(part.limit, count - part.offset);
  return (await select({ offset: count - part.offset - limit, limit, isBackwards: true })).toReversed();
}

async function selectPart(
  store: Store,
  filter: MonitorFilter,
  condition: RawBuilder<boolean>,
  { offset, limit, after, isBackwards = false }: Part,
): Promise<string[]> {
  const level = matching(store, filter).where(condition).select('monitor_id');
  const rest = after ? level.where(isAfterExpiry(after)) : level;
  const rows = await byExpiry(rest, isBackwards).limit(limit).offset(offset).execute();
  return rows.map((row) => row.monitor_id);
}

/** Returns the number of matches of each level. Most domains need nothing, so their number is the rest of the total, without a query. */
async function countLevels(store: Store, filter: MonitorFilter, total: number): Promise<number[]> {
  const [first, ...others] = urgencyLevels(filter.now).map((condition, level) =>
    matching(store, filter)
      .where(level === ATTENTION_REASONS.length ? sql<boolean>`false` : condition)
      .select((eb) => [sql.lit(level).as('level'), eb.fn.countAll<number>().as('count')]),
  );
  if (!first) return [];
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute();
  const counts = rows.toSorted((one, other) => one.level - other.level).map(({ count }) => count);
  counts[ATTENTION_REASONS.length] = total - counts.reduce((sum, count) => sum + count, 0);
  return counts;
}

/** Returns the position directly after a monitor; null if it was removed. */
export async function worstCursorAfter(
  { db }: Store,
  { accountId, now }: MonitorFilter,
  { id, notAfter }: ExpiryPlace,
): Promise<WorstCursor | null> {
  const found = await db
    .selectFrom('monitor_listing')
    .select(urgency(now).as('urgency'))
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', id)
    .executeTakeFirst();
  return found ? { sort: 'worst', urgency: found.urgency, notAfter, id } : null;
}

/** Sorts by expiry. Monitors without a certificate come last. */
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

/** Returns an SQL condition for rows after the place, in the order of `byExpiry`. */
export function isAfterExpiry({ notAfter, id }: ExpiryPlace): RawBuilder<boolean> {
  return notAfter === null
    ? sql<boolean>`(not_after is null and monitor_id > ${id})`
    : sql<boolean>`((not_after, monitor_id) > (${notAfter}, ${id}) or not_after is null)`;
}

import { type AliasableExpression, sql } from 'kysely';
import { ATTENTION_REASONS, type AttentionReason, type DomainGrouping } from '../../../contract/words.ts';
import { listItems } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { domainState, urgency } from './domain-state.ts';
import { authorityNameOf, foundRows, type MonitorFilter } from './monitor-filter.ts';

export interface MonitorGroup {
  /**
   * The tag, the state, or the name of the authority that issued the certificates; null for monitors without a tag or a known
   * authority.
   */
  key: string | null;
  total: number;
  /** Number of monitors that need attention. */
  attention: number;
  /** The most urgent reason of these monitors; null if none needs attention. */
  worst: AttentionReason | null;
}

interface GroupsQuery extends MonitorFilter {
  by: DomainGrouping;
  /** True if the group with the worst monitor comes first, false if the largest group does. Default: false. */
  isWorstFirst?: boolean;
}

const MAX_GROUPS = 500;
/**
 * Distance between two levels in the sort key. It exceeds every ms time that a certificate can contain, so that levels do not
 * overlap.
 */
const LEVEL_SPAN = sql.lit(1_000_000_000_000_000);

/**
 * Returns at most 500 groups of the matching monitors, largest or worst first. A monitor with several tags is in several groups.
 * Uses the search database, because it reads all rows of the account and, by issuer, also its certificates.
 */
export async function monitorGroups(store: Store, query: GroupsQuery): Promise<MonitorGroup[]> {
  const groups = await store.search(query.accountId, (db) =>
    db
      .selectFrom(keyed({ ...store, db }, query).as('keyed'))
      .select((eb) => [
        'key',
        eb.fn.countAll<number>().as('total'),
        sql<number>`cast(sum(case when urgency < ${sql.lit(ATTENTION_REASONS.length)} then 1 else 0 end) as bigint)`.as(
          'attention',
        ),
        eb.fn.min<number>('urgency').as('level'),
      ])
      .groupBy('key')
      .$if(query.isWorstFirst === true, (groups) => groups.orderBy(sql`min(place)`))
      .orderBy('total', 'desc')
      .orderBy('key', (order) => order.asc().nullsLast())
      .limit(MAX_GROUPS)
      .execute(),
  );
  return groups.map(({ level, ...group }) => ({ ...group, worst: ATTENTION_REASONS[level] ?? null }));
}

/** Selects one row for each matching monitor and each group that the monitor is in. */
function keyed(
  store: Store,
  { by, ...filter }: GroupsQuery,
): AliasableExpression<{ key: string | null; urgency: number; place: number }> {
  const { db, dialect } = store;
  const { accountId, now } = filter;
  const level = urgency(now);
  const listed = db
    .selectFrom(
      db
        .selectFrom('monitor_listing')
        .select(['monitor_id', 'tags', domainState(now).as('state')])
        .select(level.as('urgency'))
        .select(sql<number>`${level} * ${LEVEL_SPAN} + coalesce(not_after, ${LEVEL_SPAN} - 1)`.as('place'))
        .where('account_id', '=', accountId)
        .where('monitor_id', 'in', (eb) =>
          eb.selectFrom(foundRows(store, filter).as('found')).select('monitor_id'),
        )
        .as('listed'),
    )
    .select(['urgency', 'place']);
  switch (by) {
    case 'state':
      return listed.select('state as key');
    case 'tag':
      return listed
        .leftJoin(listItems(dialect, 'listed.tags').as('item'), (join) => join.onTrue())
        .select('item.value as key');
    default:
      return listed
        .innerJoin('monitors', (join) =>
          join.onRef('monitors.id', '=', 'listed.monitor_id').on('monitors.account_id', '=', accountId),
        )
        .leftJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
        .select(authorityNameOf(dialect).as('key'));
  }
}

import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { SORT_DIRECTIONS } from '../../contract/calls/list-order.ts';
import { levelsOf } from '../../server/store/monitors/domain-state.ts';
import { listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import { pageOfLevels } from '../../server/store/monitors/pages-of-levels.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import {
  ATTENTION_REASONS,
  attentionReason,
  DOMAIN_SORTS,
  DOMAIN_STATES,
  type DomainCondition,
  hasListStatus,
  LIST_STATUSES,
  type ListStatus,
} from '../../contract/words.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { DAY, NOW, person } from './samples.ts';

type LevelPlace = NonNullable<Parameters<typeof pageOfLevels>[2]['after']>;

describeEachDatabase('domains that need attention', (open) => {
  it('are counted and filtered by the rule in the API contract, for every combination of conditions', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const conditions = await withEveryCondition(store, accountId);
    const hostsWith = async (status: ListStatus) => {
      const query = { accountId, page: 1, pageSize: 1_000, sort: 'name' as const, status, now: NOW };
      const { monitors, total } = await listMonitors(store, query);
      expect(total).toBe(monitors.length);
      return monitors.map(({ host }) => host);
    };
    for (const state of DOMAIN_STATES)
      for (const host of await hostsWith(state)) Object.assign(conditions.get(host) ?? {}, { state });
    const matching = (isMatch: (condition: DomainCondition) => boolean) =>
      [...conditions].filter(([, condition]) => isMatch(condition)).map(([host]) => host);
    for (const status of LIST_STATUSES)
      expect(await hostsWith(status), status).toEqual(
        matching((condition) => hasListStatus(condition, status)).toSorted(),
      );

    const { attention } = await dashboardSummary(store, { accountId, now: NOW });
    const counts = ATTENTION_REASONS.map((reason) => [
      reason,
      matching((condition) => attentionReason(condition) === reason).length,
    ]);
    expect(attention.counts).toEqual(Object.fromEntries(counts));
    expect(attention.total).toBe(matching((condition) => attentionReason(condition) !== null).length);
    expect(attention.problems).toBe(matching((condition) => hasListStatus(condition, 'problem')).length);
    for (const [, count] of counts) expect(count).toBeGreaterThan(0);

    const everything = { accountId, page: 1, pageSize: 1_000, sort: 'worst' as const, now: NOW };
    const { monitors } = await listMonitors(store, everything);
    const reasons = monitors.map(({ host }) => attentionReason(conditions.get(host) ?? expect.fail()));
    const places = reasons.map((reason) => (reason ? ATTENTION_REASONS.indexOf(reason) : 99));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(attention.first.map(({ id }) => id)).toEqual(monitors.slice(0, 3).map(({ id }) => id));

    // Lists of thousands are read by one level of urgency after the other, from the nearer end. A cursor continues in either
    // direction.
    for (const sort of ['worst', 'soonest'] as const)
      for (const direction of ['asc', 'desc'] as const) {
        if (sort === 'soonest' && direction === 'asc') continue;
        const list = { ...everything, sort, direction };
        const levels = levelsOf(list) ?? expect.fail();
        const whole = (await listMonitors(store, list)).monitors.map(({ id }) => id);
        expect(whole).toHaveLength(monitors.length);
        if (sort === 'worst') {
          const ids = monitors.map(({ id }) => id);
          expect(whole).toEqual(direction === 'asc' ? ids : ids.toReversed());
        }
        let after: LevelPlace | null = null;
        for (let offset = 0; offset < whole.length; offset += 7) {
          const page = { total: whole.length, offset, limit: 7, levels };
          const rows = await pageOfLevels(store, list, page);
          const expected = whole.slice(offset, offset + 7);
          expect(rows.map((row) => row.monitor_id)).toEqual(expected);
          const continued = await pageOfLevels(store, list, { ...page, offset: 0, after });
          expect(continued.map((row) => row.monitor_id)).toEqual(expected);
          const { monitor_id: id, not_after: notAfter, urgency } = rows.at(-1) ?? expect.fail();
          after = { id, notAfter, urgency };
        }
      }
  });

  it('continues after a page whose last monitor is removed while the page is read', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await withEveryCondition(store, accountId);
    for (const sort of DOMAIN_SORTS)
      for (const direction of SORT_DIRECTIONS) {
        const query = { accountId, page: 1, pageSize: 4, sort, direction, now: NOW };
        const { ids } = await matchingMonitorIds(store, { ...query, limit: 9 });
        let isRemoved = false;
        const db = store.db.withPlugin({
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            const last = result.rows[3]?.['monitor_id'];
            if (typeof last === 'string' && !isRemoved) {
              isRemoved = true;
              await removeMonitor(store, { accountId, monitorId: last, now: NOW });
            }
            return result;
          },
        });
        const first = await listMonitors({ ...store, db }, query);
        expect(isRemoved).toBe(true);
        expect(first.monitors.map(({ id }) => id)).toEqual(ids.slice(0, 3));
        const rest = await listMonitors(store, { ...query, after: first.next ?? expect.fail() });
        expect(rest.monitors.map(({ id }) => id)).toEqual(ids.slice(4, 8));
      }
  });
});

/** Inserts a monitor for every possible combination of conditions. Returns the conditions by host, without the state. */
async function withEveryCondition(store: Store, accountId: string): Promise<Map<string, DomainCondition>> {
  const conditions = new Map<string, DomainCondition>();
  const rows = [null, -1, 3 * DAY, 10 * DAY, 40 * DAY].flatMap((left) =>
    ([null, 'untrusted', 'unreachable', 'refused', 'overdue', 'flawed'] as const).flatMap((problem) =>
      (['up', 'down'] as const).flatMap((uptime) =>
        [null, NOW, NOW + 1].flatMap((onScheduleUntil) =>
          [0, 1].flatMap((revoked) =>
            [null, 'user' as const].flatMap((pausedBy) => {
              // Skips impossible combinations: a verdict without a certificate, a trusted revoked certificate, and an
              // untrusted one on schedule.
              if (left === null && (problem !== 'unreachable' || revoked || onScheduleUntil !== null))
                return [];
              if (revoked && problem !== 'untrusted') return [];
              if (onScheduleUntil !== null && problem === 'untrusted') return [];
              const host = `host-${String(conditions.size).padStart(3, '0')}.example`;
              conditions.set(host, {
                state: 'pending',
                isDown: uptime === 'down',
                problem,
                isOnSchedule: onScheduleUntil !== null && onScheduleUntil > NOW,
              });
              return [
                {
                  id: `monitor of ${host}`,
                  account_id: accountId,
                  host,
                  port: 443,
                  check_every_minutes: 1440,
                  created_at: NOW,
                  next_check_at: NOW,
                  not_after: left === null ? null : NOW + left,
                  revoked,
                  checked: 1,
                  on_schedule_until: onScheduleUntil,
                  paused_by: pausedBy,
                  active: Number(pausedBy === null),
                  uptime,
                  problem,
                },
              ];
            }),
          ),
        ),
      ),
    ),
  );
  for (const { on_schedule_until: onScheduleUntil, ...row } of rows) {
    await store.db.insertInto('monitors').values(row).execute();
    // A new monitor is listed without a schedule.
    if (onScheduleUntil !== null)
      await store.db
        .updateTable('monitors')
        .set({ on_schedule_until: onScheduleUntil })
        .where('id', '=', row.id)
        .execute();
  }
  return conditions;
}

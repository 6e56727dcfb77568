import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { SORT_DIRECTIONS } from '../../contract/calls/list-order.ts';
import { levelsOf } from '../../server/store/monitors/domain-state.ts';
import { expiriesOf } from '../../server/store/monitors/expiries.ts';
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
import { insertMonitors, insertRows } from '../kit/databases/insert-rows.ts';
import { certificate, check, DAY, MINUTE, NOW, person, watch } from './samples.ts';

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
    for (const status of LIST_STATUSES.filter((each) => each !== 'renewal_fails'))
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

describeEachDatabase('the timeline of a large account', (open) => {
  it('merges expiries of the same day and state when there are hundreds, without monitors that have a problem', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const shared = certificate();
    await watch(store, alice.id, 'seen.example');
    await check(store, NOW, [shared]);
    const ends = [NOW + 40 * DAY, ...Array<number>(499).fill(NOW + 40 * DAY + MINUTE), NOW + 41 * DAY];
    const leaves = ends.map((notAfter) => certificate({ notAfter }));
    await insertRows(
      store,
      'certificates',
      leaves.map(({ der, facts }) => ({
        fingerprint: facts.fingerprint,
        der,
        facts: JSON.stringify(facts),
        first_seen_at: NOW,
      })),
    );
    await insertMonitors(
      store,
      leaves.map(({ facts }, index) => ({
        id: `monitor ${index}`,
        account_id: alice.id,
        host: `host${index}.example`,
        port: 443,
        check_every_minutes: 1440,
        created_at: NOW,
        next_check_at: NOW,
        not_after: facts.notAfter,
        checked: 1,
        last_checked_at: NOW,
        certificate_fingerprint: facts.fingerprint,
        revoked: 0,
      })),
    );
    const entries = async () => {
      const { expiries } = await dashboardSummary(store, { accountId: alice.id, now: NOW });
      return expiries.map(({ host, state, notAfter, count, certificateCount }) => [
        host,
        state,
        notAfter,
        count,
        certificateCount,
      ]);
    };
    const others = [
      ['host500.example', 'ok', NOW + 41 * DAY, 1, 1],
      ['seen.example', 'ok', shared.facts.notAfter, 1, 1],
    ];
    expect(await entries()).toEqual([['host0.example', 'ok', NOW + 40 * DAY, 500, 500], ...others]);

    const change = (host: string, changes: object) =>
      store.db.updateTable('monitors').set(changes).where('host', '=', host).execute();
    await change('host0.example', { problem: 'untrusted' });
    await change('host1.example', { revoked: 1 });
    const [first, revoked, rest, ...after] = await entries();
    expect(first).toEqual(['host0.example', 'ok', NOW + 40 * DAY, 1, 1]);
    expect([revoked, rest].toSorted((one, other) => Number(one?.[3]) - Number(other?.[3]))).toEqual([
      ['host1.example', 'revoked', NOW + 40 * DAY + MINUTE, 1, 1],
      [expect.stringMatching(/^host/), 'ok', NOW + 40 * DAY + MINUTE, 498, 498],
    ]);
    expect(after).toEqual(others);

    // More problems than the summary lists: the rest stays in the entry of its day.
    await store.db.updateTable('monitors').set({ problem: 'untrusted' }).execute();
    const { expiries } = await dashboardSummary(store, { accountId: alice.id, now: NOW });
    expect(new Set(expiries.map(({ id }) => id)).size).toBe(expiries.length);
    expect(expiries.reduce((sum, { count }) => sum + count, 0)).toBe(502);

    // A problem that was found between the statement that counts the days and the one that reads the problems.
    const days = [
      { id: 'monitor 2', count: 498 },
      { id: 'monitor 500', count: 1 },
    ];
    const between = await expiriesOf(
      store,
      { accountId: alice.id, now: NOW },
      { days, problems: [{ id: 'monitor 2' }], hasPaused: false },
    );
    expect(between.map(({ id, count }) => [id, count])).toEqual([
      ['monitor 2', 498],
      ['monitor 500', 1],
    ]);
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

import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import type { DeadlinesWire, DeadlineWire } from '../../../contract/calls/deadline.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { REPLACEMENT_WANTED } from '../../core/check/deadlines.ts';
import {
  comingLifetimes,
  type DescribedRule,
  describeRule,
  renewalsAYear,
} from '../../core/rules/deadline-words.ts';
import type { Store } from '../../store/db/open-store.ts';
import { countDeadlines, type DeadlineCount, publicLifetimes } from '../../store/monitors/deadline-list.ts';
import { iso } from './domain-wire.ts';

/** Reads how many certificates of an account each date concerns, and computes the renewals a year. */
export async function readDeadlines(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<DeadlinesWire> {
  const [counts, lifetimes] = await store.search(accountId, async (db) => {
    const from = { ...store, db };
    return [await countDeadlines(from, accountId), await publicLifetimes(from, accountId)] as const;
  });
  const all = sumOf(lifetimes, ({ certificates }) => certificates);
  const limits = (all === 0 ? [] : comingLifetimes(now)).flatMap(({ id, maxDays: days, from: date }) => {
    const within = lifetimes.filter(({ lifetimeMs }) => lifetimeMs <= days * DAY_MS);
    const done = sumOf(within, ({ certificates }) => certificates);
    const limit = { days, renewals: renewalsAYear(lifetimes, days) };
    const rule = describeRule(id);
    return rule === undefined ? [] : [{ ...deadlineWire(id, rule, { date, total: all, done }), limit }];
  });
  const wanted = counts.filter(({ rule }) => rule === REPLACEMENT_WANTED);
  return {
    deadlines: [...foundDates(counts), ...limits].toSorted(
      (one, other) => Date.parse(one.date) - Date.parse(other.date),
    ),
    replacements: { total: sumOf(wanted, ({ total }) => total), done: sumOf(wanted, ({ done }) => done) },
    renewals: { certificates: all, now: renewalsAYear(lifetimes, null) },
  };
}

/** Returns the dates of findings, each once. Omits the rules that only another version knows. */
function foundDates(counts: readonly DeadlineCount[]): DeadlineWire[] {
  const dated = counts.flatMap(({ rule: id, fromAt, ...numbers }) => {
    const rule = describeRule(id);
    return rule ? [{ id, rule, date: rule.source?.from ?? iso(fromAt).slice(0, 10), ...numbers }] : [];
  });
  return [...Map.groupBy(dated, ({ id, date }) => `${id} ${date}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const numbers = {
      date: first.date,
      total: sumOf(same, ({ total }) => total),
      done: sumOf(same, ({ done }) => done),
    };
    const changedAt = Math.max(...same.map((one) => one.changedAt));
    return [{ ...deadlineWire(first.id, first.rule, numbers), changed_at: iso(changedAt) }];
  });
}

function sumOf<One>(some: readonly One[], number: (one: One) => number): number {
  return some.reduce((sum, one) => sum + number(one), 0);
}

function deadlineWire(
  id: string,
  { effect, title, advice, clients, source }: DescribedRule,
  { date, total, done }: { date: string; total: number; done: number },
): DeadlineWire {
  return {
    rule: id,
    date,
    effect,
    title,
    advice,
    clients: clients.map((client) => CLIENT_NAMES[client]),
    total,
    done,
    left: total - done,
    changed_at: null,
    limit: null,
    source: source?.source ?? null,
    reviewed_on: source?.reviewedOn ?? null,
  };
}

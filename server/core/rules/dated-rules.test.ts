import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { dayStart, overdueReviews } from './dated-rule.ts';
import { DATED_RULES, rulesOf } from './dated-rules.ts';

describe('the rules with dates', () => {
  it('have ids of their own', () => {
    const ids = DATED_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(DATED_RULES.map((rule) => [rule.id, rule] as const))(
    '%s has days that exist, in order, and a source',
    (_, { from, until, source, reviewedOn }) => {
      for (const day of [from, reviewedOn, ...(until === null ? [] : [until])])
        expect(new Date(dayStart(day)).toISOString().slice(0, 10)).toBe(day);
      if (until !== null) expect(dayStart(until)).toBeGreaterThan(dayStart(from));
      expect(new URL(source).protocol).toBe('https:');
    },
  );

  it.each(['max_lifetime', 'validation_reuse'] as const)('leave no gap between those of kind %s', (kind) => {
    const rules = rulesOf(kind);
    expect(rules.map(({ until }) => until)).toEqual([...rules.slice(1).map(({ from }) => from), null]);
  });

  it('are overdue for a review on the 181st day after the last one', () => {
    const [rule] = DATED_RULES;
    if (rule === undefined) throw new Error('no rules');
    const reviewed = { ...rule, reviewedOn: '2026-12-01' };
    const overdue = (days: number) => overdueReviews(dayStart('2026-12-01') + days * DAY_MS, [reviewed]);
    expect(overdue(180)).toEqual([]);
    expect(overdue(181)).toEqual([reviewed]);
  });
});

import { describe, expect, it } from 'vitest';
import { acknowledgeMeans, incidentState, startWord, untilWords } from './incident-words.ts';

const now = Date.UTC(2026, 10, 20, 12);
const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
const open = { ended_at: null, snoozed_until: null, acknowledged_at: null };

describe('an incident', () => {
  it.each([
    ['open', open],
    ['acknowledged', { ...open, acknowledged_at: at(-1) }],
    ['snoozed', { ...open, snoozed_until: at(1) }],
    ['snoozed', { ...open, snoozed_until: at(1), acknowledged_at: at(-1) }],
    ['open', { ...open, snoozed_until: at(-1) }],
    ['over', { ended_at: at(-1), snoozed_until: at(1), acknowledged_at: at(-2) }],
  ] as const)('is %s with the fields %j', (state, incident) => {
    expect(incidentState(incident, now)).toBe(state);
  });

  it('shows the end of a snooze as a time today or as a date', () => {
    expect(untilWords(now + 3_600_000, now)).toMatch(/^\d\d:00$/);
    expect(untilWords(now + 86_400_000, now)).toBe('21 November');
  });

  it('says since when it lasts; if its title names a date, says when it was opened', () => {
    expect(
      ['expiry', 'registration', 'down', 'revoked'].map((problem) => startWord(problem as 'down')),
    ).toEqual(['Opened', 'Opened', 'Since', 'Since']);
  });

  it('says what acknowledging does', () => {
    const means = (problem: 'expiry' | 'down', expires_at: string | null) =>
      acknowledgeMeans({ problem, expires_at }, now);
    expect(means('expiry', at(1))).toBe(
      'No more alerts about this incident, except at expiry and when it ends.',
    );
    expect(means('expiry', at(-1))).toBe('No more alerts about this incident, except when it ends.');
    expect(means('down', null)).toBe('No more alerts about this incident, except when it ends.');
  });
});

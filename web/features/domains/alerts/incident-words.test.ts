import { describe, expect, it } from 'vitest';
import { acknowledgeMeans, incidentState, untilWords } from './incident-words.ts';

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
  ] as const)('is %s', (state, incident) => {
    expect(incidentState(incident, now)).toBe(state);
  });

  it('is snoozed for some time of this day, or until another one', () => {
    expect(untilWords(now + 3_600_000, now)).toMatch(/^\d\d:00$/);
    expect(untilWords(now + 86_400_000, now)).toBe('21 November');
  });

  it('says what its acknowledgement means', () => {
    expect(acknowledgeMeans('expiry')).toBe('No more reminders, except when it expires and when it is over.');
    expect(acknowledgeMeans('down')).toBe('No more reminders, except when it is over.');
  });
});

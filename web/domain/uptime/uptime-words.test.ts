import { describe, expect, it } from 'vitest';
import type { UptimeWire } from '../../../contract/uptime.ts';
import { EXAMPLE_NOW } from '../../../tests/kit/pages/example-domain.ts';
import { checkWords, incidentWords, responseText, windowWords } from './uptime-words.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

const ago = (ms: number) => new Date(EXAMPLE_NOW - ms).toISOString();

const uptime = (differences: Partial<UptimeWire>): UptimeWire => ({
  state: 'up',
  percent: 100,
  window_days: 7,
  since: ago(200 * DAY_MS),
  checks: [],
  incidents: [],
  response_times: [],
  ...differences,
});

describe('uptime texts', () => {
  it('format response times with their unit', () => {
    expect([responseText(84), responseText(999), responseText(1240)]).toEqual(['84 ms', '999 ms', '1.2 s']);
  });

  it('name the period that an uptime percentage covers', () => {
    expect(windowWords(uptime({}), EXAMPLE_NOW)).toBe('over the last 7 days');
    expect(windowWords(uptime({ window_days: 90 }), EXAMPLE_NOW)).toBe('over the last 90 days');
    expect(windowWords(uptime({ since: ago(2 * DAY_MS) }), EXAMPLE_NOW)).toBe('since 18 November 2026');
  });

  it('name the response time of a check, or why it failed', () => {
    const check = { at: ago(0), response_ms: null, message: null };
    expect(checkWords({ ...check, state: 'up', response_ms: 120 })).toBe('Up, 120 ms');
    expect(checkWords({ ...check, state: 'down', message: 'It answered 503.' })).toBe('It answered 503.');
    expect(checkWords({ ...check, state: 'down' })).toBe('Failed');
    expect(checkWords({ ...check, state: 'unknown' })).toBe('Unknown');
  });

  it('describe an incident by its time and duration', () => {
    const incident = { id: '1', cause: 'refused', message: 'It refused.' };
    const over = { ...incident, started_at: ago(DAY_MS), ended_at: ago(DAY_MS - 9 * MINUTE_MS) };
    expect(incidentWords(over, EXAMPLE_NOW)).toEqual({
      when: expect.stringMatching(/^19 November 2026 at \d\d:\d\d – \d\d:\d\d$/),
      duration: '9 minutes',
    });
    const lasting = { ...incident, started_at: ago(2 * DAY_MS), ended_at: null };
    expect(incidentWords(lasting, EXAMPLE_NOW)).toMatchObject({
      when: expect.stringMatching(/^Ongoing since 18 November 2026 at/),
      duration: '2 days',
    });
  });
});

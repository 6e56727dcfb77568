import { describe, expect, it } from 'vitest';
import type { PlannedAlertWire } from '../../../../contract/alerting.ts';
import { nextAlertLine, nothingPlannedLine } from './planned-words.ts';

const now = Date.UTC(2026, 10, 20, 12);
const planned: PlannedAlertWire = {
  domain_id: 'm1',
  display_name: 'pay.fjord.example',
  step: '14d',
  label: '14 days before',
  severity: 'warning',
  at: '2026-12-08T12:00:00.000Z',
  expiry_date: '2026-12-22T12:00:00.000Z',
  certificate_name: null,
};

describe('the next alert', () => {
  it.each([
    ['Next alert: 14 days before, on 8 December', {}],
    [
      'Next alert: when it expires, on 22 December',
      { label: 'when it expires', at: '2026-12-22T12:00:00.000Z' },
    ],
    ['Next alert: 14 days before, on 8 December 2027', { at: '2027-12-08T12:00:00.000Z' }],
    ['Next alert: 14 days before (R13), on 8 December', { certificate_name: 'R13' }],
  ])('%s', (line, change) => {
    expect(nextAlertLine({ ...planned, ...change }, now)).toBe(line);
  });

  it('has the time on its own day', () => {
    expect(nextAlertLine({ ...planned, at: '2026-11-20T15:00:00.000Z' }, now)).toMatch(
      /^Next alert: 14 days before, today at \d\d:00$/,
    );
  });

  it('says why there is none', () => {
    const domain = { paused: null, expiry_date: '2026-12-22T12:00:00.000Z' } as const;
    const none = { incidents: [], is_told: true };
    expect(nothingPlannedLine({ ...domain, paused: 'user' }, none)).toContain('paused');
    expect(nothingPlannedLine({ ...domain, expiry_date: null }, none)).toContain('no certificate was read');
    expect(nothingPlannedLine(domain, none)).toContain('the last one');
    expect(nothingPlannedLine(domain, { ...none, is_told: false })).toContain('Nobody is told');
    const acknowledged = {
      id: 'i1',
      problem: 'expiry',
      severity: 'warning',
      title: '',
      started_at: '',
      ended_at: null,
      acknowledged_at: '2026-11-20T11:00:00.000Z',
      snoozed_until: null,
    } as const;
    expect(nothingPlannedLine(domain, { ...none, incidents: [acknowledged] })).toContain('acknowledged');
  });
});

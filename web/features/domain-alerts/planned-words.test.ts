import { describe, expect, it } from 'vitest';
import type { PlannedAlertWire } from '../../../contract/alerting.ts';
import { nextAlertLine, nothingPlannedLine, quietLine } from './planned-words.ts';

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
  fingerprint: 'f',
  domain_count: 1,
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
  ])('is announced as: %s', (line, change) => {
    expect(nextAlertLine({ ...planned, ...change }, now)).toBe(line);
  });

  it('is announced with its time if it is due today', () => {
    expect(nextAlertLine({ ...planned, at: '2026-11-20T15:00:00.000Z' }, now)).toMatch(
      /^Next alert: 14 days before, today at \d\d:00$/,
    );
  });

  it('is replaced by the reason if no alert is planned', () => {
    const domain = { paused: null, expiry_date: '2026-12-22T12:00:00.000Z' } as const;
    const none = { incidents: [], is_told: true };
    expect(nothingPlannedLine({ ...domain, paused: 'user' }, none)).toBeNull();
    expect(nothingPlannedLine({ ...domain, expiry_date: null }, none)).toContain('certificate not read yet');
    expect(nothingPlannedLine(domain, none)).toContain('all expiry alerts');
    expect(nothingPlannedLine(domain, { ...none, is_told: false })).toContain('no chosen channel');
    const acknowledged = {
      id: 'i1',
      problem: 'expiry',
      severity: 'warning',
      title: '',
      started_at: '',
      expires_at: null,
      ended_at: null,
      acknowledged_at: '2026-11-20T11:00:00.000Z',
      snoozed_until: null,
    } as const;
    expect(nothingPlannedLine(domain, { ...none, incidents: [acknowledged] })).toContain('acknowledged');
  });
});

it('quietLine says until when quiet hours hold alerts, and whether critical alerts are sent meanwhile', () => {
  const settings = { channels: null, steps: null, muted: [] };
  const of = (critical_always: boolean) => {
    const quiet_hours = { from_minute: 1320, to_minute: 420, critical_always };
    return quietLine('2026-11-20T18:00:00.000Z', { effective: { ...settings, quiet_hours } }, now);
  };
  expect(of(false)).toMatch(/^Quiet hours: alerts are held until \d\d:00\.$/);
  expect(of(true)).toMatch(/until \d\d:00, except critical ones\.$/);
});

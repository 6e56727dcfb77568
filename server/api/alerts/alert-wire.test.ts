import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { NEW_INCIDENT } from '../../core/alerting/incident.ts';
import type { StoredIncident } from '../../store/alerts/monitor-incidents.ts';
import { incidentWire } from './alert-wire.ts';

const NOW = Date.UTC(2026, 0, 15);
const INCIDENT: StoredIncident = {
  ...NEW_INCIDENT,
  id: 'i',
  monitorId: 'm',
  incidentId: 'i',
  problem: 'down',
  fingerprint: '',
  startedAt: NOW - 5 * HOUR_MS,
  confirmedAt: NOW - 5 * HOUR_MS,
  facts: {
    certificate: null,
    asOf: NOW,
    message: null,
    fix: null,
    successor: null,
    startedAt: NOW - 5 * HOUR_MS,
    endedAt: null,
  },
};
const wireOf = (change: Partial<StoredIncident>) =>
  incidentWire({ ...INCIDENT, ...change }, { displayName: 'shop.example', now: NOW });
const ending = (notAfter: number) => ({
  problem: 'expiry' as const,
  facts: {
    ...INCIDENT.facts,
    certificate: {
      fingerprint: 'f',
      name: 'shop.example',
      role: 'leaf' as const,
      notBefore: NOW - DAY_MS,
      notAfter,
    },
  },
});
it.each([
  [{}, 'shop.example is down'],
  [{ notifiedSteps: ['opened', 'flapping'] as const }, 'shop.example is flapping: down 3 times in 6 hours'],
  [{ problem: 'revoked' as const }, 'shop.example’s certificate was revoked'],
  [{ problem: 'chain_broken' as const }, 'shop.example’s certificate chain is broken'],
  [
    { problem: 'chain_broken' as const, notifiedSteps: ['some_clients'] as const },
    'shop.example’s certificate chain is incomplete',
  ],
  [
    { problem: 'chain_broken' as const, notifiedSteps: ['some_clients', 'opened'] as const },
    'shop.example’s certificate chain is broken',
  ],
  [ending(NOW + 50 * HOUR_MS), 'shop.example expires in 2 days'],
  // An ended incident keeps the title that it had when it ended.
  [{ ...ending(NOW + 50 * HOUR_MS), endedAt: NOW - 24 * HOUR_MS }, 'shop.example expires in 3 days'],
])('an incident %j has the title %j', (change, title) => expect(wireOf(change).title).toBe(title));

it('an incident shows a snooze until it ends', () => {
  const until = (snoozedUntil: number) => wireOf({ snoozedUntil }).snoozed_until;
  expect(until(NOW + 1)).toBe('2026-01-15T00:00:00.001Z');
  expect([until(NOW), until(NOW - 1)]).toEqual([null, null]);
});

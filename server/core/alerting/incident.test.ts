import { describe, expect, it } from 'vitest';
import type { AlertStep, Problem } from './alert.ts';
import { incidentSeverity } from './incident.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const certificate = {
  fingerprint: 'f',
  role: 'leaf' as const,
  name: 'shop.example.com',
  notBefore: 0,
  notAfter: 90 * DAY_MS,
};
const of = (problem: Problem, step: AlertStep, now = 0) =>
  incidentSeverity({ problem, step, facts: { certificate } }, now);

describe('the severity of an incident', () => {
  it('about expiry is critical from 7 days before expiry', () => {
    const left = (days: number) => of('expiry', 'warning', (90 - days) * DAY_MS);
    expect([32, 8, 7, 1, -1].map(left)).toEqual(['warning', 'warning', 'critical', 'critical', 'critical']);
  });

  it('is critical if clients refuse or cannot reach the host, otherwise a warning', () => {
    expect([of('revoked', 'revoked'), of('wrong_name', 'opened'), of('down', 'opened')]).toEqual(
      Array(3).fill('critical'),
    );
    expect([of('chain_broken', 'some_clients'), of('chain_broken', 'opened')]).toEqual([
      'warning',
      'critical',
    ]);
    expect([of('down', 'flapping'), of('changed', 'opened')]).toEqual(['warning', 'warning']);
  });
});

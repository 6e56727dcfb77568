import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertSteps, isAtLeastAsTight, type Step } from './alert-steps.ts';
import { type AlertStep, planAlerts } from './alerting.ts';
import type { ExpiringCertificate, RevokedCertificate } from './verdict.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOT_AFTER = Date.UTC(2026, 10, 22, 14, 32);

function certificate(lifetimeMs: number, changes: Partial<ExpiringCertificate> = {}): ExpiringCertificate {
  return {
    fingerprint: 'aa',
    notBefore: NOT_AFTER - lifetimeMs,
    notAfter: NOT_AFTER,
    role: 'leaf',
    name: 'pay.fjord.example',
    renewalWindow: null,
    ...changes,
  };
}

describe('planAlerts', () => {
  const ninety = certificate(90 * DAY);
  const plan = (
    now: number,
    alreadyAlerted: { fingerprint: string; step: AlertStep }[] = [],
    expiring = [ninety],
  ) => planAlerts({ lastSeen: { at: now, expiring, revoked: [] }, alreadyAlerted, now });
  const steps = (...args: Parameters<typeof plan>) => plan(...args).map(({ step }) => step);

  it('says nothing before the first step and speaks at the very instant of it', () => {
    const first = NOT_AFTER - 22.5 * DAY;
    expect(steps(first - 1)).toEqual([]);
    expect(steps(first)).toEqual(['renewal_overdue']);
  });

  it('sends one message for the tightest step when several were crossed unseen', () => {
    expect(steps(NOT_AFTER - 2 * DAY)).toEqual(['three_days']);
    expect(steps(NOT_AFTER - 2 * DAY, [{ fingerprint: 'aa', step: 'renewal_overdue' }])).toEqual([
      'three_days',
    ]);
  });

  it('still speaks in the last 24 hours, with 0 whole days left, and at the very end', () => {
    const told = [{ fingerprint: 'aa', step: 'three_days' as const }];
    expect(steps(NOT_AFTER - 1 * HOUR, told)).toEqual(['one_day']);
    expect(steps(NOT_AFTER, [{ fingerprint: 'aa', step: 'one_day' }])).toEqual(['expired']);
  });

  it('is keyed by the certificate: an intermediate’s notice does not hide the leaf’s, nor an old leaf’s the new one’s', () => {
    const intermediate = certificate(3650 * DAY, {
      fingerprint: 'bb',
      role: 'intermediate',
      name: 'Fjord CA 2',
    });
    expect(
      plan(NOT_AFTER - 6 * DAY, [{ fingerprint: 'bb', step: 'critical' }], [ninety, intermediate]),
    ).toEqual([expect.objectContaining({ fingerprint: 'aa', step: 'critical', role: 'leaf' })]);
    expect(steps(NOT_AFTER - 6 * DAY, [{ fingerprint: 'old', step: 'expired' }])).toEqual(['critical']);
  });

  it('raises nothing for a fresh six-day certificate', () => {
    const sixDays = certificate(6 * DAY);
    expect(steps(sixDays.notBefore + HOUR, [], [sixDays])).toEqual([]);
  });

  it('says as of when it knows: a host that cannot be reached alerts from the certificate last seen', () => {
    const asOf = NOT_AFTER - 8 * DAY;
    expect(
      planAlerts({
        lastSeen: { at: asOf, expiring: [ninety], revoked: [] },
        alreadyAlerted: [],
        now: NOT_AFTER - 6 * DAY,
      }),
    ).toEqual([
      {
        kind: 'expiry',
        fingerprint: 'aa',
        step: 'critical',
        notBefore: ninety.notBefore,
        notAfter: NOT_AFTER,
        role: 'leaf',
        name: 'pay.fjord.example',
        asOf,
      },
    ]);
  });

  it('plans one alert when two addresses show the same certificate', () => {
    expect(steps(NOT_AFTER, [], [ninety, ninety])).toEqual(['expired']);
  });

  it('over any sequence of checks: each step at most once, never a looser one after a tighter, always the tightest', () => {
    const certificates = fc.uniqueArray(
      fc.record({
        fingerprint: fc.constantFrom('aa', 'bb', 'cc'),
        lifetimeHours: fc.integer({ min: -10, max: 24 * 400 }),
        shiftHours: fc.integer({ min: -48, max: 48 }),
      }),
      { selector: ({ fingerprint }) => fingerprint, minLength: 1 },
    );
    const visits = fc.array(fc.integer({ min: -24 * 420, max: 100 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(certificates, visits, (drawn, hours) => {
        const watched = drawn.map(({ fingerprint, lifetimeHours, shiftHours }) => {
          const notAfter = NOT_AFTER + shiftHours * HOUR;
          return certificate(0, { fingerprint, notAfter, notBefore: notAfter - lifetimeHours * HOUR });
        });
        const sent: { fingerprint: string; step: AlertStep }[] = [];
        const lastSeen = { at: 0, expiring: watched, revoked: [] };
        for (const hour of hours.toSorted((a, b) => a - b)) {
          const now = NOT_AFTER + hour * HOUR;
          const alerts = planAlerts({ lastSeen, alreadyAlerted: sent, now });
          for (const alert of alerts) {
            const earlier = sent.filter(({ fingerprint }) => fingerprint === alert.fingerprint);
            expect(earlier.some(({ step }) => isAtLeastAsTight(step as Step, alert.step as Step))).toBe(
              false,
            );
          }
          sent.push(...alerts);
          for (const one of watched) {
            const tightest = alertSteps(one).findLast(({ at }) => at <= now)?.step;
            expect(sent.findLast(({ fingerprint }) => fingerprint === one.fingerprint)?.step).toBe(tightest);
          }
        }
      }),
    );
  });

  describe('of what was revoked', () => {
    const revoked: RevokedCertificate = {
      ...{ fingerprint: 'aa', key: 'issuer 01', source: 'crl', at: 1, revokedAt: null, reason: null },
      ...{ role: 'leaf', name: 'pay.fjord.example', notBefore: ninety.notBefore, notAfter: NOT_AFTER },
      served: true,
    };
    const now = ninety.notBefore + DAY;
    const tell = (
      known: RevokedCertificate[],
      alreadyAlerted: { fingerprint: string; step: AlertStep }[] = [],
    ) => planAlerts({ lastSeen: { at: now, expiring: [ninety], revoked: known }, alreadyAlerted, now });

    it('speaks at once, and once', () => {
      const [alert, ...more] = tell([revoked]);
      expect(alert).toMatchObject({ kind: 'revoked', step: 'revoked', fingerprint: 'aa', asOf: now });
      expect(more).toEqual([]);
      expect(tell([revoked], [{ fingerprint: 'aa', step: 'revoked' }])).toEqual([]);
    });

    it('says nothing of one that is not served any more, and lets no expiry hide it, nor the reverse', () => {
      expect(tell([{ ...revoked, served: false }])).toEqual([]);
      expect(tell([revoked], [{ fingerprint: 'aa', step: 'expired' }])).toHaveLength(1);
      const lastSeen = { at: now, expiring: [ninety], revoked: [revoked] };
      const late = planAlerts({ lastSeen, alreadyAlerted: [], now: NOT_AFTER });
      expect(late.map(({ step }) => step)).toEqual(['revoked', 'expired']);
    });
  });
});

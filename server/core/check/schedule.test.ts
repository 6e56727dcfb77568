import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertSteps } from '../alert-steps.ts';
import { dueWithInterval, laneOf, lanePortions, LANES, nextCheckAt } from './schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 20, 9, 0);

function due(input: Partial<Parameters<typeof nextCheckAt>[0]>): number {
  return (
    nextCheckAt({ now: NOW, everyMinutes: 1440, reached: true, certificates: [], jitter: 0, ...input }) - NOW
  );
}
const lasting = (lifetimeMs: number, leftMs: number) => ({
  notBefore: NOW + leftMs - lifetimeMs,
  notAfter: NOW + leftMs,
});

describe('nextCheckAt', () => {
  it('is one interval from now', () => {
    expect(due({ everyMinutes: 1440 })).toBe(DAY);
    expect(due({ everyMinutes: 10, certificates: [lasting(90 * DAY, 80 * DAY)] })).toBe(10 * MINUTE);
  });

  it('is within the hour for a host that is down, or sooner with a shorter interval', () => {
    expect(due({ everyMinutes: 1440, reached: false })).toBe(HOUR);
    expect(due({ everyMinutes: 10, reached: false })).toBe(10 * MINUTE);
  });

  it('is at the next alert step if that comes before the regular check', () => {
    expect(due({ certificates: [lasting(90 * DAY, 14 * DAY + 5 * HOUR)] })).toBe(5 * HOUR);
    expect(due({ certificates: [lasting(90 * DAY, 14 * DAY)] })).toBe(DAY);
    expect(due({ certificates: [lasting(90 * DAY, 2 * HOUR)] })).toBe(2 * HOUR);
    expect(due({ certificates: [lasting(90 * DAY, -DAY)] })).toBe(DAY);
  });

  it('is after 1/24 of the shortest certificate lifetime, such as 6 h 40 min for 160 hours', () => {
    expect(due({ certificates: [lasting(160 * HOUR, 150 * HOUR)] })).toBe(400 * MINUTE);
    expect(due({ certificates: [lasting(3650 * DAY, 3000 * DAY), lasting(160 * HOUR, 150 * HOUR)] })).toBe(
      400 * MINUTE,
    );
  });

  it('is at the end of the renewal window of the CA', () => {
    const renewalWindow = { start: NOW - DAY, end: NOW + 3 * HOUR };
    expect(due({ certificates: [{ ...lasting(90 * DAY, 60 * DAY), renewalWindow }] })).toBe(3 * HOUR);
  });

  it('is when the renewal becomes overdue, even if no chosen alert step is due then', () => {
    const certificate = lasting(90 * DAY, 22.5 * DAY + 3 * HOUR);
    expect(due({ certificates: [certificate], steps: ['7d'] })).toBe(3 * HOUR);
  });

  it('is at a planned recheck, but never in the past', () => {
    expect(due({ recheckAt: NOW + 30_000 })).toBe(30_000);
    expect(due({ recheckAt: NOW - HOUR })).toBe(0);
    expect(due({ recheckAt: NOW + 2 * DAY })).toBe(DAY);
    expect(due({ recheckAt: null })).toBe(DAY);
  });

  it('is one minute to one day from now, even for absurd lifetimes', () => {
    expect(due({ certificates: [lasting(MINUTE, -HOUR)] })).toBe(10 * MINUTE);
    expect(due({ certificates: [lasting(-DAY, -HOUR)] })).toBe(DAY);
    expect(due({ certificates: [lasting(10, 5)] })).toBe(MINUTE);
    const year9999 = { notBefore: NOW, notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) };
    expect(due({ certificates: [year9999] })).toBe(DAY);
  });

  it('with jitter never exceeds the check interval and comes at most a minute after an alert step', () => {
    const certificate = fc.record({
      lifetimeMs: fc.integer({ min: HOUR, max: 400 * DAY }),
      leftMs: fc.integer({ min: -DAY, max: 400 * DAY }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(10, 15, 60, 1440),
        fc.boolean(),
        fc.array(certificate, { maxLength: 3 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (everyMinutes, reached, drawn, jitter) => {
          const certificates = drawn.map(({ lifetimeMs, leftMs }) => lasting(lifetimeMs, leftMs));
          const wait = due({ everyMinutes, reached, certificates, jitter });
          expect(Number.isInteger(wait)).toBe(true);
          expect(wait).toBeGreaterThanOrEqual(MINUTE);
          expect(wait).toBeLessThanOrEqual((reached ? everyMinutes : Math.min(60, everyMinutes)) * MINUTE);
          for (const { notBefore, notAfter } of certificates) {
            expect(wait).toBeLessThanOrEqual(Math.max(10 * MINUTE, (notAfter - notBefore) / 24));
            const step = alertSteps({ notBefore, notAfter }).find(({ at }) => at > NOW);
            if (step === undefined) continue;
            expect(wait).toBeLessThanOrEqual(step.at - NOW + MINUTE);
          }
        },
      ),
    );
  });

  it('with jitter shortens the interval by up to a tenth', () => {
    expect(due({ everyMinutes: 60, jitter: 0.5 })).toBe(57 * MINUTE);
  });
});

describe('dueWithInterval', () => {
  it('moves a check earlier, but neither later nor into the past', () => {
    const planned = { dueAt: NOW + 10 * HOUR, lastCheckedAt: NOW - HOUR, now: NOW };
    expect(dueWithInterval(120, planned)).toBe(NOW + HOUR);
    expect(dueWithInterval(30, planned)).toBe(NOW);
    expect(dueWithInterval(1440, planned)).toBe(NOW + 10 * HOUR);
    expect(dueWithInterval(30, { ...planned, dueAt: NOW - MINUTE })).toBe(NOW - MINUTE);
  });

  it('counts from now if there was no check yet', () => {
    expect(dueWithInterval(30, { dueAt: NOW + HOUR, lastCheckedAt: null, now: NOW })).toBe(NOW + 30 * MINUTE);
  });
});

describe('the priority lane of a monitor', () => {
  it('is 0 for the first three monitors of an account and rises with each power of four', () => {
    const lanes = [0, 2, 3, 14, 15, 62, 63, 254, 255, 1_022, 1_023, 4_094, 4_095, 1_000_000].map(laneOf);
    expect(lanes).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  });
});

describe('the shares of the priority lanes in a batch', () => {
  it('halve from lane to lane and are never zero', () => {
    expect(lanePortions(64, 0)).toEqual([32, 16, 8, 4, 2, 1, 1]);
  });

  it('add up to the same totals for each lane, however large the batches are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }), (limits) => {
        const sums = Array.from({ length: LANES }, () => 0);
        let taken = 0;
        for (const limit of limits) {
          lanePortions(limit, taken).forEach((portion, lane) => (sums[lane] = (sums[lane] ?? 0) + portion));
          taken += limit;
        }
        expect(sums).toEqual(lanePortions(taken, 0));
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMassFailure, type Outcome } from './mass-failure.ts';

const NOW = Date.UTC(2027, 2, 1);
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const BELIEVED_MS = 10 * MINUTE_MS;

/** `failed` of `targets` hosts, spread over so many domains, a moment ago. */
function outcomes({ targets, failed, domains }: Record<'targets' | 'failed' | 'domains', number>): Outcome[] {
  return Array.from({ length: targets }, (_, index) => ({
    target: `host-${index}:443`,
    domain: `domain-${index % domains}.example`,
    failed: index < failed,
  }));
}

function noted(all: readonly Outcome[], now = NOW) {
  const failures = createMassFailure();
  for (const outcome of all) failures.note(outcome, now);
  return failures;
}

describe('The brake for failures in the mass', () => {
  it('holds from exactly its figures on, whatever the numbers', () => {
    const numbers = fc.record({
      targets: fc.integer({ min: 1, max: 80 }),
      failed: fc.integer({ min: 0, max: 80 }),
      domains: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(numbers, ({ targets, failed: wanted, domains }) => {
        const failed = Math.min(wanted, targets);
        const isMass = failed >= 10 && Math.min(failed, domains) >= 5 && failed / targets >= 0.3;
        const held = noted(outcomes({ targets, failed, domains })).holds(NOW, BELIEVED_MS);
        expect(held).toEqual(isMass ? { targets, failed, domains: Math.min(failed, domains) } : null);
      }),
    );
  });

  it('counts each target once, by its newest outcome, and not after a minute', () => {
    const step = fc.record({
      target: fc.integer({ min: 0, max: 30 }),
      failed: fc.boolean(),
      passedMs: fc.integer({ min: 0, max: 8 * SECOND_MS }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const failures = createMassFailure();
        const newest = new Map<number, { failed: boolean; at: number }>();
        let now = NOW;
        for (const { target, failed, passedMs } of steps) {
          now += passedMs;
          failures.note({ target: `${target}`, domain: `${target % 7}`, failed }, now);
          newest.set(target, { failed, at: now });
        }
        const counted = [...newest].filter(([, { at }]) => now - at <= MINUTE_MS);
        const failing = counted.filter(([, { failed }]) => failed);
        const domains = new Set(failing.map(([target]) => target % 7)).size;
        const isMass = failing.length >= 10 && domains >= 5 && failing.length >= 0.3 * counted.length;
        expect(failures.holds(now, BELIEVED_MS) !== null).toBe(isMass);
      }),
    );
  });

  it('lets go once enough of what failed answers again', () => {
    const failures = noted(outcomes({ targets: 20, failed: 12, domains: 6 }));
    expect(failures.holds(NOW, BELIEVED_MS)).not.toBeNull();
    const again = NOW + 70 * SECOND_MS;
    for (const outcome of outcomes({ targets: 3, failed: 3, domains: 3 }))
      failures.note({ ...outcome, failed: false }, again);
    expect(failures.holds(again, BELIEVED_MS)).toBeNull();
  });

  it('keeps holding what is looked at again after a minute', () => {
    const failures = noted(outcomes({ targets: 20, failed: 12, domains: 6 }));
    for (let minute = 0; minute < 9; minute += 1) {
      const now = NOW + minute * 70 * SECOND_MS;
      for (const outcome of outcomes({ targets: 12, failed: 12, domains: 6 })) failures.note(outcome, now);
      expect(failures.holds(now + 60 * SECOND_MS, BELIEVED_MS)).not.toBeNull();
    }
  });

  it('believes what does not end, and holds the next time anew', () => {
    const all = outcomes({ targets: 20, failed: 20, domains: 6 });
    const failures = noted(all);
    let now = NOW;
    for (; now - NOW < BELIEVED_MS; now += MINUTE_MS) {
      for (const outcome of all) failures.note(outcome, now);
      expect(failures.holds(now, BELIEVED_MS)).not.toBeNull();
    }
    for (const outcome of all) failures.note(outcome, now);
    expect(failures.holds(now, BELIEVED_MS)).toBeNull();
    const later = now + 3 * MINUTE_MS;
    expect(failures.holds(later, BELIEVED_MS)).toBeNull();
    for (const outcome of all) failures.note(outcome, later);
    expect(failures.holds(later, BELIEVED_MS)).not.toBeNull();
  });

  it('forgets instants of a clock that was set back', () => {
    const failures = noted(outcomes({ targets: 20, failed: 20, domains: 6 }), NOW + 400 * 86_400_000);
    expect(failures.holds(NOW, BELIEVED_MS)).toBeNull();
  });
});

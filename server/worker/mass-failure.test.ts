import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMassFailure, type ProbeOutcome } from './mass-failure.ts';
import { MINUTE_MS, SECOND_MS } from '../../contract/durations.ts';

const NOW = Date.UTC(2027, 2, 1);
const BELIEVED_MS = 10 * MINUTE_MS;

/** Returns the outcomes of `targets` hosts in `domains` domains, all of one account. `failed` of the hosts failed. */
function outcomes(
  { targets, failed, domains = targets }: { targets: number; failed: number; domains?: number },
  account = 'alice',
): ProbeOutcome[] {
  return Array.from({ length: targets }, (_, index) => ({
    target: `${account}-${index}:443`,
    domain: `${account}-${index % domains}.example`,
    accounts: [account],
    failed: index < failed,
  }));
}

function noted(all: readonly ProbeOutcome[], now = NOW) {
  const failures = createMassFailure();
  for (const outcome of all) failures.add(outcome, now);
  return failures;
}

describe('the mass failure brake', () => {
  it('holds failures if and only if at least 10 targets in 5 domains and 30 % of all targets fail', () => {
    const numbers = fc.record({
      targets: fc.integer({ min: 1, max: 80 }),
      failed: fc.integer({ min: 0, max: 80 }),
      domains: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(numbers, ({ targets, failed: wanted, domains }) => {
        const failed = Math.min(wanted, targets);
        const isMass = failed >= 10 && Math.min(failed, domains) >= 5 && failed / targets >= 0.3;
        const held = noted(outcomes({ targets, failed, domains })).currentTally(NOW, BELIEVED_MS);
        expect(held).toEqual(
          isMass ? { targets, failed, domains: Math.min(failed, domains), accounts: 1 } : null,
        );
      }),
    );
  });

  it('counts each target once, by its newest outcome of the last minute', () => {
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
          failures.add({ target: `${target}`, domain: `${target % 7}`, accounts: ['alice'], failed }, now);
          newest.set(target, { failed, at: now });
        }
        const counted = [...newest].filter(([, { at }]) => now - at <= MINUTE_MS);
        const failing = counted.filter(([, { failed }]) => failed);
        const domains = new Set(failing.map(([target]) => target % 7)).size;
        const isMass = failing.length >= 10 && domains >= 5 && failing.length >= 0.3 * counted.length;
        expect(failures.currentTally(now, BELIEVED_MS) !== null).toBe(isMass);
      }),
    );
  });

  it('releases the failures once enough failed hosts answer again', () => {
    const failures = noted(outcomes({ targets: 20, failed: 12, domains: 6 }));
    expect(failures.currentTally(NOW, BELIEVED_MS)).not.toBeNull();
    const again = NOW + 70 * SECOND_MS;
    for (const outcome of outcomes({ targets: 3, failed: 3, domains: 3 }))
      failures.add({ ...outcome, failed: false }, again);
    expect(failures.currentTally(again, BELIEVED_MS)).toBeNull();
  });

  it('keeps holding the failures of hosts that fail again after a minute', () => {
    const failures = noted(outcomes({ targets: 20, failed: 12, domains: 6 }));
    for (let minute = 0; minute < 9; minute += 1) {
      const now = NOW + minute * 70 * SECOND_MS;
      for (const outcome of outcomes({ targets: 12, failed: 12, domains: 6 })) failures.add(outcome, now);
      expect(failures.currentTally(now + 60 * SECOND_MS, BELIEVED_MS)).not.toBeNull();
    }
  });

  it('releases failures that last ten minutes, and holds later failures again', () => {
    const all = outcomes({ targets: 20, failed: 20, domains: 6 });
    const failures = noted(all);
    let now = NOW;
    for (; now - NOW < BELIEVED_MS; now += MINUTE_MS) {
      for (const outcome of all) failures.add(outcome, now);
      expect(failures.currentTally(now, BELIEVED_MS)).not.toBeNull();
    }
    for (const outcome of all) failures.add(outcome, now);
    expect(failures.currentTally(now, BELIEVED_MS)).toBeNull();
    const later = now + 3 * MINUTE_MS;
    expect(failures.currentTally(later, BELIEVED_MS)).toBeNull();
    for (const outcome of all) failures.add(outcome, later);
    expect(failures.currentTally(later, BELIEVED_MS)).not.toBeNull();
  });

  /** Returns whether failures are held back, given the number of failed targets and of all targets for each account. */
  const holdsFor = (accounts: Record<string, [failed: number, targets: number]>) =>
    noted(
      Object.entries(accounts).flatMap(([name, [failed, targets]]) => outcomes({ failed, targets }, name)),
    ).currentTally(NOW, BELIEVED_MS) !== null;

  it.each<[string, boolean, Parameters<typeof holdsFor>[0]]>([
    ['holds the failures of an account that is the only one', true, { alice: [12, 40] }],
    ['does not hold the failures of one of two accounts', false, { alice: [60, 60], bob: [0, 3] }],
    [
      'does not hold the failures of two accounts, because three accounts must fail',
      false,
      { alice: [60, 60], bob: [1, 2] },
    ],
    [
      'does not hold the failures of two of three accounts',
      false,
      { alice: [60, 60], bob: [3, 3], carol: [0, 9] },
    ],
    [
      'holds the failures of three accounts whose hosts all fail',
      true,
      { alice: [500, 500], bob: [2, 2], carol: [1, 1] },
    ],
    [
      'does not count accounts of which few hosts fail',
      false,
      { alice: [60, 60], bob: [1, 9], carol: [1, 9] },
    ],
    [
      'does not hold the failures of three of eleven accounts, because 30 % must fail',
      false,
      {
        alice: [200, 200],
        bob: [200, 200],
        carol: [200, 200],
        ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`other-${index}`, [0, 10]])),
      },
    ],
    [
      'does not hold the failures of three accounts if most hosts of all accounts answer',
      false,
      { alice: [4, 4], bob: [4, 4], carol: [4, 100] },
    ],
  ])('%s', (_, isHeld, accounts) => expect(holdsFor(accounts)).toBe(isHeld));

  it('counts a shared host once, and each of its accounts', () => {
    const shared = outcomes({ targets: 10, failed: 10 }).map((outcome) => ({
      ...outcome,
      accounts: ['alice', 'bob', 'carol'],
    }));
    expect(noted(shared).currentTally(NOW, BELIEVED_MS)).toMatchObject({
      failed: 10,
      targets: 10,
      accounts: 3,
    });
    expect(noted(shared.slice(1)).currentTally(NOW, BELIEVED_MS)).toBeNull();
  });

  it('ignores hosts that were up for no account, whether they fail or answer', () => {
    const [dead, fine] = [outcomes({ targets: 60, failed: 60 }), outcomes({ targets: 100, failed: 0 })].map(
      (all) => all.map((outcome) => ({ ...outcome, accounts: [] })),
    );
    expect(noted(dead ?? []).currentTally(NOW, BELIEVED_MS)).toBeNull();
    const failing = outcomes({ targets: 10, failed: 10 }, 'bob');
    expect(noted([...(fine ?? []), ...failing]).currentTally(NOW, BELIEVED_MS)).toMatchObject({
      targets: 10,
    });
  });
});

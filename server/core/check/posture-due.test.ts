import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import { issue, judged, NOW } from '../../../tests/kit/certificates/judging.ts';
import { postureAt } from '../../../tests/kit/product/observation.ts';
import type { PostureVerdict, Verdict } from '../verdict.ts';
import { duePostureParts } from './posture-due.ts';

const first = judged(issue());
const { posture } = judged(issue(), { posture: postureAt(NOW) });
const withPosture = (changes: Partial<PostureVerdict>): Verdict => ({
  ...first,
  posture: posture && { ...posture, ...changes },
});
const ALL = ['certificates', 'client_hellos', 'key_exchange', 'tls_versions'];
/** Returns the parts that are due for an endpoint with one monitor, `ms` after its last posture check. */
const due = (
  ms: number,
  {
    changes = {},
    isRequested = false,
    protocol = 'smtp',
  }: { changes?: Partial<PostureVerdict>; isRequested?: boolean; protocol?: 'smtp' | 'https' } = {},
) => duePostureParts([{ verdict: withPosture(changes), isRequested }], { protocol, now: NOW + ms });

describe('The posture of an endpoint', () => {
  it('is not due at the first check, and due with all parts at the next one', () => {
    const now = NOW;
    expect(duePostureParts([{ verdict: null, isRequested: true }], { protocol: 'https', now })).toBeNull();
    expect(duePostureParts([{ verdict: first, isRequested: false }], { protocol: 'smtp', now })).toEqual(ALL);
  });

  it('is due once a day, or when a user requests a check', () => {
    expect(due(20 * HOUR_MS)).toBeNull();
    expect(due(20 * HOUR_MS + 1)).toEqual(ALL);
    expect(due(HOUR_MS, { isRequested: true })).toEqual(ALL);
  });

  it('is due if its last check lies far in the future, because the clock ran ahead then', () => {
    for (const protocol of ['smtp', 'https'] as const)
      expect(due(-400 * 24 * HOUR_MS, { protocol })).toEqual(ALL);
    expect(due(-MINUTE_MS)).toBeNull();
  });

  it.each([
    ['smtp', null],
    ['https', ALL],
  ] as const)('is due on request within 15 minutes over %s: %j', (protocol, parts) => {
    expect(due(15 * MINUTE_MS - 1, { isRequested: true, protocol })).toEqual(parts);
    expect(due(15 * MINUTE_MS, { isRequested: true, protocol })).toEqual(ALL);
  });

  it('is due with postponed parts after 15 minutes, the part with the oldest result or none first', () => {
    const earlier: PostureVerdict['earlier'] = [
      { part: 'certificates', at: NOW - 20 * HOUR_MS },
      { part: 'tls_versions', at: null },
    ];
    expect(due(15 * MINUTE_MS - 1, { changes: { earlier } })).toBeNull();
    expect(due(15 * MINUTE_MS, { changes: { earlier } })).toEqual(['tls_versions', 'certificates']);
  });

  it('is not due with a postponed part whose last result is an hour old', () => {
    const fresh: PostureVerdict['earlier'] = [{ part: 'certificates', at: NOW - HOUR_MS }];
    expect(due(15 * MINUTE_MS, { changes: { earlier: fresh } })).toBeNull();
  });

  it('is due for all monitors if it is due for one of them, but not if another one was tested recently', () => {
    const old = { verdict: withPosture({ at: NOW - 21 * HOUR_MS }), isRequested: false };
    const recent = { verdict: withPosture({ at: NOW - 10 * MINUTE_MS }), isRequested: false };
    expect(duePostureParts([old, recent], { protocol: 'smtp', now: NOW })).toBeNull();
    expect(duePostureParts([old, recent], { protocol: 'smtp', now: NOW + 5 * MINUTE_MS })).toEqual(ALL);
    expect(duePostureParts([old, recent], { protocol: 'https', now: NOW })).toEqual(ALL);
  });
});

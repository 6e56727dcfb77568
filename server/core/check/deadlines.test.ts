import { expect, it } from 'vitest';
import { type Deadline, followDeadlines } from './deadlines.ts';

const NOW = Date.UTC(2026, 11, 1);
const [BEFORE, LATER] = [NOW - 1_000, Date.UTC(2027, 2, 15)];

/** Returns a deadline of a certificate that is still served, first seen before now. */
const deadline = (fingerprint: string, change: Partial<Deadline> = {}): Deadline => ({
  fingerprint,
  rule: 'server_auth_only',
  fromAt: LATER,
  firstSeenAt: BEFORE,
  renewedAt: null,
  ...change,
});
const dated = (fingerprint: string, fromAt = LATER) => ({ fingerprint, rule: 'server_auth_only', fromAt });
/** Returns what is stored after a check. */
function after(
  stored: Deadline[],
  found: ReturnType<typeof dated>[],
  served: string[],
  isRefused = false,
): Deadline[] {
  const seen = { dated: found, served: new Set(served), isRefused, now: NOW };
  const { written, removed } = followDeadlines(stored, seen);
  const isKept = (one: Deadline) =>
    ![...written, ...removed].some(({ fingerprint }) => fingerprint === one.fingerprint);
  return [...stored.filter(isKept), ...written].toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
}

it('a deadline is stored when a check finds it, and not written again when the next check finds the same', () => {
  const [stored] = after([], [dated('a')], ['a']);
  expect(stored).toEqual(deadline('a', { firstSeenAt: NOW }));
  const seen = { dated: [dated('a')], served: new Set(['a']), isRefused: false, now: NOW };
  expect(followDeadlines([deadline('a')], seen)).toEqual({ written: [], removed: [] });
});

it('a certificate that no address serves any more counts as renewed, until an address serves it again', () => {
  const renewed = after([deadline('a')], [], ['b']);
  expect(renewed).toEqual([deadline('a', { renewedAt: NOW })]);
  expect(after([deadline('a', { renewedAt: BEFORE })], [], ['b'])).toEqual([
    deadline('a', { renewedAt: BEFORE }),
  ]);
  expect(after(renewed, [dated('a')], ['a'])).toEqual([deadline('a')]);
});

it('a certificate whose successor has the same deadline is no longer listed', () => {
  expect(after([deadline('a')], [dated('b')], ['b'])).toEqual([deadline('b', { firstSeenAt: NOW })]);
  // One address changes before the other.
  const both = after([deadline('a')], [dated('a'), dated('b')], ['a', 'b']);
  expect(both).toHaveLength(2);
  expect(after(both, [dated('b')], ['b'])).toEqual([deadline('b', { firstSeenAt: NOW })]);
});

it('two certificates of one server, such as RSA and ECDSA, are renewed separately', () => {
  expect(after([deadline('a'), deadline('b')], [dated('b')], ['b', 'c'])).toEqual([
    deadline('a', { renewedAt: NOW }),
    deadline('b'),
  ]);
});

it('a rule whose day moves or that no longer concerns a served certificate changes or removes the deadline', () => {
  expect(after([deadline('a')], [dated('a', LATER + 1)], ['a'])).toEqual([
    deadline('a', { fromAt: LATER + 1 }),
  ]);
  expect(after([deadline('a')], [], ['a'])).toEqual([]);
});

it('a certificate that is refused after the day of its rule is still to renew, although its findings are others', () => {
  const past = deadline('a', { fromAt: NOW });
  expect(after([past], [], ['a'], true)).toEqual([past]);
  // Its root was renewed, or its CA no longer asks for a replacement.
  expect(after([past], [], ['a'])).toEqual([]);
  expect(after([past], [], ['b'])).toEqual([{ ...past, renewedAt: NOW }]);
});

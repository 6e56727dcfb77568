import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { parsePublicKey } from '../public-key.ts';
import { mintKey } from '../../../tests/kit/certificates/mint.ts';
import type { TransparencyLog } from './log-list.ts';
import {
  applePolicy,
  chromePolicy,
  firefoxPolicy,
  type ListedTimestamp,
  type PolicyAnswer,
  type PolicyQuestion,
} from './policies.ts';

const NOW = Date.UTC(2026, 11, 1);
const LOGGED = NOW - 30 * DAY_MS;
const RETIRED = NOW - 10 * DAY_MS;
const key = parsePublicKey(mintKey().publicKey.export({ type: 'spki', format: 'der' }));

type Spec = Partial<Omit<TransparencyLog, 'key'>> & {
  id?: string;
  at?: number;
  leafIndex?: number | null;
  delivery?: ListedTimestamp['delivery'];
  signature?: ListedTimestamp['signature'];
  isListed?: boolean;
  isOfUnverifiedStaple?: boolean;
};

/** An SCT that counts for every browser, of a log of its own, with differences. */
function stamp(operator: string, spec: Spec = {}): ListedTimestamp {
  const {
    at = LOGGED,
    isStatic = false,
    delivery = 'certificate',
    signature = 'valid',
    isListed = true,
    isOfUnverifiedStaple = false,
  } = spec;
  const { id = `${operator} ${++logs}`, leafIndex = isStatic ? 5 : null, state = 'usable', since = 0 } = spec;
  const { previousOperators = [] } = spec;
  const log = { description: id, operator, previousOperators, isStatic, key, state, since };
  const listed = isListed ? log : null;
  return { timestamp: { logId: id, at, leafIndex }, delivery, log: listed, signature, isOfUnverifiedStaple };
}
let logs = 0;

function ask(
  timestamps: readonly ListedTimestamp[],
  { days = 90, isComplete = true, hasDistrustedRoot = false } = {},
): Record<'chrome' | 'firefox' | 'apple', PolicyAnswer> {
  const notBefore = LOGGED;
  const question: PolicyQuestion = {
    timestamps,
    notBefore,
    notAfter: notBefore + days * DAY_MS,
    now: NOW,
    isComplete,
    hasDistrustedRoot,
  };
  return {
    chrome: chromePolicy(question),
    firefox: firefoxPolicy(question),
    apple: applePolicy(question),
  };
}
/** Returns 'met', or the gap, for Chrome, Firefox and Apple. */
const results = (...asked: Parameters<typeof ask>): string[] =>
  Object.values(ask(...asked)).map(({ outcome, why }) => (outcome === 'met' ? 'met' : (why ?? '')));
/** Returns the status of the first SCT for Chrome, Firefox and Apple. */
const firstStatuses = (...timestamps: ListedTimestamp[]): string[] =>
  Object.values(ask(timestamps)).map(({ statuses }) => statuses[0] ?? '');

const all = <Value>(value: Value): Value[] => [value, value, value];
const pair = () => [stamp('A'), stamp('B')];

describe('the number of timestamps', () => {
  it('is two up to 180 days, and three above', () => {
    expect(results(pair(), { days: 90 })).toEqual(all('met'));
    expect(results(pair().slice(1), { days: 90 })).toEqual(all('too_few'));
    expect(results([...pair(), stamp('A')], { days: 200 })).toEqual(all('met'));
    expect(results(pair(), { days: 200 })).toEqual(all('too_few'));
    expect(results([])).toEqual(all('too_few'));
  });

  it('changes at 180 days for Chrome and Firefox, and for Apple one second earlier', () => {
    const second = 1 / 86_400;
    expect(results(pair(), { days: 180 - second })).toEqual(all('met'));
    expect(results(pair(), { days: 180 })).toEqual(['met', 'met', 'too_few']);
    expect(results(pair(), { days: 180 + second })).toEqual(all('too_few'));
  });

  it('is in the answer, beside how many of the timestamps count', () => {
    expect(ask(pair(), { days: 200 }).chrome).toMatchObject({ outcome: 'not_met', counted: 2, needed: 3 });
    expect(ask(pair()).apple).toMatchObject({ outcome: 'met', why: null, counted: 2, needed: 2 });
  });

  it('counts one timestamp of each log', () => {
    const [first, second] = [stamp('A', { id: 'one' }), stamp('A', { id: 'one', at: LOGGED + 1 })];
    expect(ask([first, second, stamp('B')]).chrome.statuses).toEqual(['counts', 'same_log', 'counts']);
    expect(results([first, second, stamp('B')], { days: 200 })).toEqual(all('too_few'));
  });
});

describe('the operators of the logs', () => {
  it('must be at least two', () => {
    expect(results([stamp('A'), stamp('A')])).toEqual(['one_operator', 'one_operator', 'one_operator']);
    expect(results([stamp('A'), stamp('A'), stamp('A')], { days: 200 })).toEqual(all('one_operator'));
  });

  it('are for Chrome those that ran the logs when the timestamps were made', () => {
    const sold = (until: number) => stamp('A', { previousOperators: [{ name: 'B', until }] });
    expect(results([stamp('A'), sold(LOGGED + 1)])).toEqual(['met', 'one_operator', 'one_operator']);
    expect(results([stamp('A'), sold(LOGGED)])).toEqual(all('one_operator'));
    expect(results([stamp('B'), sold(LOGGED + 1)])).toEqual(['one_operator', 'met', 'met']);
  });
});

describe('the state of a log', () => {
  it.each([
    ['usable', 'counts'],
    ['qualified', 'counts'],
    ['readonly', 'counts'],
    ['pending', 'untrusted_log'],
    ['rejected', 'untrusted_log'],
    ['unknown', 'unknown_state'],
  ] as const)('a log that is %s gives its timestamps the status %s', (state, status) => {
    expect(firstStatuses(stamp('A', { state }), stamp('B'))).toEqual(all(status));
  });

  it('a retired log counts if the timestamp is older than its retirement', () => {
    const retired = (at: number) => stamp('A', { state: 'retired', since: RETIRED, at });
    expect(firstStatuses(retired(RETIRED - 1), stamp('B'))).toEqual(all('counts'));
    expect(firstStatuses(retired(RETIRED), stamp('B'))).toEqual(all('retired_log'));
    expect(results([retired(RETIRED - 1), stamp('B')])).toEqual(all('met'));
    expect(results([retired(RETIRED), stamp('B')])).toEqual(all('too_few'));
  });

  it('a retired log does not count for Chrome and Firefox if the other timestamps were made after its retirement', () => {
    const retired = stamp('A', { state: 'retired', since: RETIRED });
    const later = (at: number) => [retired, stamp('B', { at }), stamp('C', { at: at + 1 })];
    expect(firstStatuses(...later(RETIRED - 1))).toEqual(all('counts'));
    expect(firstStatuses(...later(RETIRED))).toEqual(['retired_log', 'retired_log', 'counts']);
  });

  it('Chrome trusts a log until the day of its retirement, Firefox does not, and for Apple we do not know', () => {
    const soon = (since: number, delivery: 'tls' | 'certificate' = 'tls') =>
      stamp('A', { state: 'retired', since, delivery });
    expect(firstStatuses(soon(NOW + 1), stamp('B'))).toEqual(['counts', 'retired_log', 'unknown_state']);
    expect(firstStatuses(soon(NOW + 1, 'certificate'), stamp('B'))).toEqual(all('counts'));
    expect(firstStatuses(soon(NOW), stamp('B'))).toEqual(all('retired_log'));
  });

  it('timestamps of retired logs alone are not enough', () => {
    const retired = (operator: string) => stamp(operator, { state: 'retired', since: RETIRED });
    // Chrome and Firefox find no timestamp that shows when the certificate was issued.
    expect(results([retired('A'), retired('B')])).toEqual(['too_few', 'too_few', 'only_retired_logs']);
  });
});

describe('static logs', () => {
  it('satisfy Chrome and Firefox; Apple also demands a log of RFC 6962', () => {
    const tiled = (operator: string) => stamp(operator, { isStatic: true });
    expect(results([tiled('A'), tiled('B')])).toEqual(['met', 'met', 'only_static_logs']);
    expect(results([tiled('A'), stamp('B')])).toEqual(all('met'));
  });

  it('count for Chrome and Firefox only with a leaf index', () => {
    const without = stamp('A', { isStatic: true, leafIndex: null });
    expect(firstStatuses(without, stamp('B'))).toEqual(['no_leaf_index', 'no_leaf_index', 'counts']);
    expect(firstStatuses(stamp('A', { isStatic: true, leafIndex: 0 }))).toEqual(all('counts'));
  });
});

describe('a timestamp', () => {
  it.each<[string, Spec, string]>([
    ['of a log that is not in the list', { isListed: false }, 'unknown_log'],
    ['that the log did not sign', { signature: 'invalid' }, 'bad_signature'],
    ['that could not be verified', { signature: 'unverifiable' }, 'not_verified'],
    ['of this millisecond', { at: NOW }, 'counts'],
    ['of the next millisecond', { at: NOW + 1 }, 'from_future'],
  ])('%s, as in %j, has the status %s', (_, spec, status) => {
    expect(firstStatuses(stamp('A', spec), stamp('B'))).toEqual(all(status));
  });

  it('that could not be verified makes the result unknown if it is needed', () => {
    const unverified = stamp('A', { signature: 'unverifiable' });
    expect(ask([unverified, stamp('B')]).chrome).toMatchObject({ outcome: 'not_known', why: 'too_few' });
    expect(ask([unverified, stamp('B'), stamp('C')]).chrome.outcome).toBe('met');
  });
});

it('Firefox may not count the timestamps below a root with a day of distrust', () => {
  const { chrome, firefox, apple } = ask(pair(), { hasDistrustedRoot: true });
  expect([chrome, firefox, apple].map(({ outcome }) => outcome)).toEqual(['met', 'not_known', 'met']);
  expect(firefox.statuses).toEqual(['distrusted_root', 'distrusted_root']);
});

describe('timestamps outside the certificate', () => {
  const outside = (delivery: 'staple' | 'tls', operator: string, spec: Spec = {}) =>
    stamp(operator, { ...spec, delivery });

  it('satisfy the policies in the TLS handshake, and in an OCSP response all but Chrome’s', () => {
    expect(results([outside('tls', 'A'), outside('tls', 'B')], { days: 200 })).toEqual(all('met'));
    expect(results([outside('staple', 'A'), outside('staple', 'B')])).toEqual(['too_few', 'met', 'met']);
    expect(firstStatuses(outside('staple', 'A'))).toEqual(['stapled', 'counts', 'counts']);
  });

  it('must come from logs of two operators; Apple counts them together with those in the certificate', () => {
    expect(results([outside('tls', 'A'), outside('tls', 'A')])).toEqual(['too_few', 'too_few', 'met']);
    expect(results([stamp('A'), outside('tls', 'B')])).toEqual(['too_few', 'too_few', 'met']);
    expect(results([outside('tls', 'A')])).toEqual(all('too_few'));
    const tiled = { isStatic: true };
    expect(results([outside('tls', 'A', tiled), outside('tls', 'B', tiled)])).toEqual([
      'met',
      'met',
      'too_few',
    ]);
  });

  it('are not known to count if the OCSP response is not verified as good', () => {
    const doubtful = (operator: string) =>
      outside('staple', operator, { isOfUnverifiedStaple: true, signature: 'unverifiable' });
    expect(firstStatuses(doubtful('A'))).toEqual(['stapled', 'unverified_staple', 'unverified_staple']);
    const { chrome, firefox, apple } = ask([doubtful('A'), doubtful('B')]);
    expect([chrome, firefox, apple].map(({ outcome }) => outcome)).toEqual([
      'not_met',
      'not_known',
      'not_known',
    ]);
  });

  it('satisfy Apple’s policy with another log in the certificate, even if their own log is there too', () => {
    const [inside, staple] = [stamp('A', { id: 'one' }), outside('staple', 'A', { id: 'one' })];
    expect(ask([inside, stamp('B'), staple], { days: 200 }).apple).toMatchObject({
      outcome: 'met',
      statuses: ['counts', 'counts', 'counts'],
    });
    expect(ask([inside, staple], { isComplete: false }).apple.outcome).toBe('not_known');
  });

  it('must come from logs that are not retired', () => {
    const retired = outside('tls', 'A', { state: 'retired', since: RETIRED });
    expect(firstStatuses(retired, stamp('B'))).toEqual(all('retired_log'));
  });

  it('may make the policy satisfied, so that the outcome is not known if they were not read', () => {
    expect(ask([stamp('A')], { isComplete: false }).chrome).toMatchObject({
      outcome: 'not_known',
      why: 'too_few',
    });
    expect(ask([stamp('A')], { isComplete: true }).chrome.outcome).toBe('not_met');
    expect(ask(pair(), { isComplete: false }).chrome.outcome).toBe('met');
  });
});

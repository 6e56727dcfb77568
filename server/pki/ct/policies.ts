import { DAY_MS } from '../../../contract/durations.ts';
import type { SignatureCheck } from '../signature.ts';
import { operatorAt, type TransparencyLog } from './log-list.ts';
import type { CertificateTimestamp } from './timestamp-list.ts';
import type { Delivery } from './timestamp-signature.ts';

/* What the Certificate Transparency policies of browsers say about the SCTs of one certificate. Pure. */

/** An SCT with what the log list of one browser and its signature say about it. */
export interface ListedTimestamp {
  readonly timestamp: Pick<CertificateTimestamp, 'logId' | 'at' | 'leafIndex'>;
  readonly delivery: Delivery;
  /** Null if the browser's list does not have the log. */
  readonly log: TransparencyLog | null;
  /** `unverifiable` also if the log's key or the issuer is not known. */
  readonly signature: SignatureCheck;
  /** Whether it comes in an OCSP response that is not verified as good. */
  readonly isOfUnverifiedStaple?: boolean;
}

/** Whether an SCT counts for a browser, or the first reason why it does not. Codes are stored, so they never change. */
export type TimestampStatus =
  | 'counts'
  /** The browser's list does not have the log. */
  | 'unknown_log'
  /** We cannot tell, because we could not verify the signature of the log. */
  | 'not_verified'
  /** We cannot tell, because we do not know whether the browser accepts the log today. */
  | 'unknown_state'
  /** We cannot tell, because the OCSP response is not verified as good. */
  | 'unverified_staple'
  /** We cannot tell, because the browser may distrust certificates of the root that were logged after some day. */
  | 'distrusted_root'
  | 'bad_signature'
  | 'from_future'
  /** The log is pending or rejected. */
  | 'untrusted_log'
  /** The log is retired, and the SCT or the certificate is not older than that, or not embedded. */
  | 'retired_log'
  /** An SCT of a static log without the index that its rules demand. */
  | 'no_leaf_index'
  /** The browser does not read SCTs in OCSP responses. */
  | 'stapled'
  /** An earlier SCT of the same log counts already. */
  | 'same_log';

/** The statuses of SCTs of which we do not know whether they count. */
export const DOUBTS = [
  'not_verified',
  'unknown_state',
  'unverified_staple',
  'distrusted_root',
] as const satisfies readonly TimestampStatus[];

const isDoubt = (status: TimestampStatus): boolean => DOUBTS.some((doubt) => doubt === status);

/** Whether the SCTs satisfy a policy, and how many of the needed ones count. */
export interface Compliance {
  /** `not_known`: it is not satisfied by what we know, but we do not know everything. */
  readonly outcome: 'met' | 'not_met' | 'not_known';
  /** Why it is not satisfied. Codes are stored, so they never change. */
  readonly why: PolicyGap | null;
  /** Number of SCTs in the certificate that count, and the number that its lifetime demands. */
  readonly counted: number;
  readonly needed: number;
}
export type PolicyGap =
  | 'too_few'
  | 'one_operator'
  /** Every log that counts is retired today. */
  | 'only_retired_logs'
  /** No log that counts is one of RFC 6962. */
  | 'only_static_logs';

export interface PolicyQuestion {
  readonly timestamps: readonly ListedTimestamp[];
  /** Validity of the certificate, ms UTC. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Time of the check, ms UTC. */
  readonly now: number;
  /** False if the server may have sent SCTs that we did not read, for instance in the TLS handshake. */
  readonly isComplete: boolean;
  /** Whether browsers distrust certificates of the root that were logged after some day. */
  readonly hasDistrustedRoot: boolean;
}

export interface PolicyAnswer extends Compliance {
  /** The status of each SCT, in the order of the question. */
  readonly statuses: readonly TimestampStatus[];
}

interface Policy {
  /** Where SCTs outside the certificate count. */
  readonly outside: readonly Delivery[];
  /** Whether all SCTs that count must come by the same way, in the certificate or outside. */
  readonly separatesDeliveries: boolean;
  /** Whether an SCT of a static log needs a leaf index. */
  readonly needsLeafIndex: boolean;
  /** Whether one of the SCTs that count must come from an RFC 6962 log. */
  readonly needsRfc6962Log: boolean;
  /** Whether an SCT of a retired log counts only if an SCT of a log that is trusted today is older than the retirement, too. */
  readonly comparesEarliest: boolean;
  /** Whether the operator at the time of the SCT counts, and not today's. */
  readonly remembersOperators: boolean;
  /** How the browser treats a log before the day on which it retires. */
  readonly futureRetirement: 'trusted' | 'retired' | 'unknown';
  /**
   * Whether the browser ignores SCTs that were made after the day from which it distrusts their root. We do not know that day, so such
   * SCTs are in doubt.
   */
  readonly heedsDistrust: boolean;
  /** Whether the last second of the validity counts as part of the lifetime (RFC 5280 §4.1.2.5). */
  readonly countsLastSecond: boolean;
}

const SHORT_LIFETIME_MS = 180 * DAY_MS;
const NEEDED = { short: 2, long: 3 };

/**
 * Chrome, "Chrome Certificate Transparency Policy" (ct_policy.md in github.com/GoogleChrome/CertificateTransparency, 22 July 2026). Where
 * components/certificate_transparency/chrome_ct_policy_enforcer.cc accepts more than this text, we follow the text. Since Chrome 148 SCTs in
 * OCSP responses do not count. Since 15 April 2026 static logs suffice. Chromium 156 counts no SCT of a static log without a valid leaf index, of
 * which the text says nothing (measured by `npm run test:clients`).
 */
const CHROME: Policy = {
  outside: ['tls'],
  separatesDeliveries: true,
  needsLeafIndex: true,
  needsRfc6962Log: false,
  comparesEarliest: true,
  remembersOperators: true,
  futureRetirement: 'trusted',
  heedsDistrust: false,
  countsLastSecond: false,
};

/**
 * Firefox, security/ct/CTPolicyEnforcer.cpp and MultiLogCTVerifier.cpp in mozilla-central (read in November 2026), which Firefox 135 and
 * later enforce on desktops. Its list of logs is made from Google's.
 */
const FIREFOX: Policy = {
  outside: ['tls', 'staple'],
  separatesDeliveries: true,
  needsLeafIndex: true,
  needsRfc6962Log: false,
  comparesEarliest: true,
  remembersOperators: false,
  futureRetirement: 'retired',
  heedsDistrust: true,
  countsLastSecond: false,
};

/**
 * Apple, "Apple's Certificate Transparency Policy" (version 1.0 of 21 April 2025: ct/ct-policy.md in github.com/apple/apple-root-program;
 * states of logs in ct-log-program.md). Of the SCTs in the certificate, at most one of two or two of three may come from one operator, so
 * both lifetimes demand two operators. The policy does not demand that of SCTs outside the certificate.
 */
const APPLE: Policy = {
  outside: ['tls', 'staple'],
  separatesDeliveries: false,
  needsLeafIndex: false,
  needsRfc6962Log: true,
  comparesEarliest: false,
  remembersOperators: false,
  futureRetirement: 'unknown',
  heedsDistrust: false,
  countsLastSecond: true,
};

export function chromePolicy(question: PolicyQuestion): PolicyAnswer {
  return answer(CHROME, question);
}

export function firefoxPolicy(question: PolicyQuestion): PolicyAnswer {
  return answer(FIREFOX, question);
}

export function applePolicy(question: PolicyQuestion): PolicyAnswer {
  return answer(APPLE, question);
}

function answer(policy: Policy, question: PolicyQuestion): PolicyAnswer {
  const { timestamps, notBefore, notAfter, now, isComplete } = question;
  const statuses = statusesOf(policy, question);
  const counting = timestamps.filter((_, index) => statuses[index] === 'counts');
  const embedded = counting.filter(({ delivery }) => delivery === 'certificate');
  const lifetime = notAfter - notBefore + (policy.countsLastSecond ? 1000 : 0);
  const needed = lifetime > SHORT_LIFETIME_MS ? NEEDED.long : NEEDED.short;
  const counts = { counted: embedded.length, needed, statuses };
  const gap = embeddedGap(policy, embedded, needed, now);
  if (gap === null || satisfiesOutside(policy, counting, now))
    return { outcome: 'met', why: null, ...counts };
  const isKnown = isComplete && !statuses.some(isDoubt);
  return { outcome: isKnown ? 'not_met' : 'not_known', why: gap, ...counts };
}

/** Returns what the SCTs in the certificate lack; null if they satisfy the policy alone. */
function embeddedGap(
  policy: Policy,
  embedded: readonly ListedTimestamp[],
  needed: number,
  now: number,
): PolicyGap | null {
  if (embedded.length < needed) return 'too_few';
  if (!embedded.some(({ log }) => isTrustedNow(policy, log, now))) return 'only_retired_logs';
  if (operatorsOf(policy, embedded).size < 2) return 'one_operator';
  return policy.needsRfc6962Log && !embedded.some(isRfc6962) ? 'only_static_logs' : null;
}

/** Returns whether SCTs of logs that are trusted today satisfy the policy, at least one of them outside the certificate. */
function satisfiesOutside(policy: Policy, counting: readonly ListedTimestamp[], now: number): boolean {
  const trusted = counting.filter(({ log }) => isTrustedNow(policy, log, now));
  const outside = trusted.filter(({ delivery }) => delivery !== 'certificate');
  if (policy.separatesDeliveries) return outside.length >= 2 && operatorsOf(policy, outside).size >= 2;
  // Apple does not say whether two SCTs of one log suffice, so they do not show that the policy is satisfied.
  const logs = new Set(trusted.map(({ timestamp }) => timestamp.logId));
  return outside.length > 0 && logs.size >= 2 && (!policy.needsRfc6962Log || trusted.some(isRfc6962));
}

function operatorsOf(policy: Policy, timestamps: readonly ListedTimestamp[]): ReadonlySet<string> {
  return new Set(
    timestamps.flatMap(({ log, timestamp }) =>
      log === null ? [] : [policy.remembersOperators ? operatorAt(log, timestamp.at) : log.operator],
    ),
  );
}

const isRfc6962 = ({ log }: ListedTimestamp): boolean => log?.isStatic === false;

const TRUSTED_STATES = new Set(['qualified', 'usable', 'readonly']);

/** Returns whether the log is trusted today. */
function isTrustedNow({ futureRetirement }: Policy, log: TransparencyLog | null, now: number): boolean {
  if (log === null || TRUSTED_STATES.has(log.state)) return log !== null;
  return log.state === 'retired' && futureRetirement === 'trusted' && now < (log.since ?? 0);
}

/** Returns the statuses of all SCTs. Of several SCTs of a log, only the first one in the certificate and the first one outside count. */
function statusesOf(policy: Policy, question: PolicyQuestion): TimestampStatus[] {
  const { timestamps, now } = question;
  const valid = timestamps.filter(
    (one) => ownStatus(policy, one, question) === null && isTrustedNow(policy, one.log, now),
  );
  const earliest = Math.min(...valid.map(({ timestamp }) => timestamp.at));
  const seen = new Set<string>();
  return timestamps.map((one) => {
    const status = ownStatus(policy, one, question) ?? retirementStatus(policy, one, earliest, now);
    if (status !== null) return status;
    const key = `${one.timestamp.logId} ${one.delivery === 'certificate'}`;
    if (seen.has(key)) return 'same_log';
    seen.add(key);
    return 'counts';
  });
}

/** Returns why an SCT does not count, whatever the others are; null if nothing speaks against it. */
function ownStatus(
  policy: Policy,
  { timestamp, delivery, log, signature, isOfUnverifiedStaple = false }: ListedTimestamp,
  { now, hasDistrustedRoot }: PolicyQuestion,
): TimestampStatus | null {
  if (log === null) return 'unknown_log';
  if (delivery !== 'certificate' && !policy.outside.includes(delivery)) return 'stapled';
  if (signature === 'invalid') return 'bad_signature';
  if (timestamp.at > now) return 'from_future';
  if (log.state === 'pending' || log.state === 'rejected') return 'untrusted_log';
  if (policy.needsLeafIndex && log.isStatic && timestamp.leafIndex === null) return 'no_leaf_index';
  if (isOfUnverifiedStaple) return 'unverified_staple';
  if (signature === 'unverifiable') return 'not_verified';
  if (log.state === 'unknown') return 'unknown_state';
  return policy.heedsDistrust && hasDistrustedRoot ? 'distrusted_root' : null;
}

function retirementStatus(
  policy: Policy,
  { timestamp, delivery, log }: ListedTimestamp,
  earliest: number,
  now: number,
): TimestampStatus | null {
  if (log === null || isTrustedNow(policy, log, now)) return null;
  const retiredAt = log.since ?? 0;
  const isOlder = timestamp.at < retiredAt && (!policy.comparesEarliest || earliest < retiredAt);
  if (isOlder && delivery === 'certificate') return null;
  return policy.futureRetirement === 'unknown' && now < retiredAt ? 'unknown_state' : 'retired_log';
}

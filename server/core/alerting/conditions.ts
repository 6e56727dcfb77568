import { expectedRenewal } from '../alert-steps.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { findingFix, findingMessage } from '../report/describe-finding.ts';
import type { ExpiringCertificate, RevokedCertificate, Verdict } from '../verdict.ts';
import type { AlertCertificate, AlertFacts, AlertSeverity, Problem } from './alert.ts';
import { rememberedFrom } from '../judge/previous-verdict.ts';

/** A problem that exists according to the last check. */
export interface Condition {
  problem: Exclude<Problem, 'down'>;
  /** Fingerprint of the certificate; empty if the problem concerns the endpoint and not one certificate. */
  fingerprint: string;
  /** The certificate that determines the alert steps; null unless the problem is `expiry`. */
  expiring: ExpiringCertificate | null;
  /** Severity of the problem; unused for an expiry, whose step decides the severity. */
  severity: AlertSeverity;
  facts: Omit<AlertFacts, 'startedAt' | 'endedAt'>;
}

/** Findings that are reported as other problems. Every other critical finding counts as a broken chain. */
const REPORTED_ELSEWHERE: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'expired',
  'revoked',
  'intermediate_revoked',
  'name_mismatch',
  'address_unreachable',
]);

/**
 * Returns the problems that exist after a check. A check that reached no server (`verdict.reached`) only yields expiry and
 * revocation of the certificates last seen; the rest is unknown. `host`: display name of the endpoint.
 */
export function conditionsOf(verdict: Verdict, previous: Verdict | null, host: string): Condition[] {
  const { lastSeen } = verdict;
  if (lastSeen === null) return [];
  const asOf = lastSeen.at;
  const conditions: Condition[] = [
    ...lastSeen.expiring.map((expiring): Condition => ({
      problem: 'expiry',
      fingerprint: expiring.fingerprint,
      expiring,
      severity: 'warning',
      facts: { ...NO_FACTS, certificate: toAlertCertificate(expiring), asOf },
    })),
    ...lastSeen.revoked
      .filter(({ served }) => served)
      .map((revoked): Condition => ({
        problem: 'revoked',
        fingerprint: revoked.fingerprint,
        expiring: null,
        severity: 'critical',
        facts: { ...NO_FACTS, certificate: toAlertCertificate(revoked), asOf },
      })),
  ];
  if (!verdict.reached) return distinct(conditions);
  const { findings, judgedAt } = verdict;
  const about = (problem: Condition['problem'], found: Finding, fingerprint: string): Condition => {
    const certificate = lastSeen.expiring.find((one) => one.fingerprint === found.fingerprint);
    return {
      problem,
      fingerprint,
      expiring: null,
      severity: found.severity === 'critical' ? 'critical' : 'warning',
      facts: {
        ...NO_FACTS,
        certificate: certificate ? toAlertCertificate(certificate) : null,
        asOf,
        message: findingMessage(found, host),
        fix: found.attachment === 'chain' ? FIX_WITH_FILE : findingFix(found, host),
      },
    };
  };
  const wrongName = findings.find(
    ({ code, severity }) => code === 'name_mismatch' && severity === 'critical',
  );
  const broken = findings.find(breaksChain(lastSeen.expiring, judgedAt)) ?? findings.find(failsForSome);
  const changed = unexpectedChange(verdict, previous);
  return distinct([
    ...conditions,
    ...(wrongName ? [about('wrong_name', wrongName, '')] : []),
    ...(broken ? [about('chain_broken', broken, '')] : []),
    ...findings
      .filter(({ code }) => code === 'replacement_wanted')
      .map((wanted) => about('replacement_wanted', wanted, wanted.fingerprint ?? '')),
    ...(changed ? [changed] : []),
  ]);
}

/**
 * Advice that replaces the finding's own, which refers to an attached file. A message has no file, but links to the domain.
 */
const FIX_WITH_FILE =
  'Install the file that stands ready with the details of this domain: the certificate and what stands above it, in the order that clients expect.';

/** Removes duplicates: two addresses may present the same certificate. */
function distinct(conditions: readonly Condition[]): Condition[] {
  return [...new Map(conditions.map((one) => [`${one.problem} ${one.fingerprint}`, one])).values()];
}

const NO_FACTS = { certificate: null, message: null, fix: null, successor: null };

/**
 * Returns a predicate for findings that make all clients refuse the chain. It excludes an expired intermediate that has its
 * own expiry incident.
 */
function breaksChain(expiring: readonly ExpiringCertificate[], now: number): (finding: Finding) => boolean {
  const isWatched = expiring.some(({ role, notAfter }) => role === 'intermediate' && notAfter <= now);
  return ({ code, severity }) =>
    severity === 'critical' &&
    !REPORTED_ELSEWHERE.has(code) &&
    !(code === 'intermediate_expired' && isWatched);
}

/** Returns whether only some clients refuse the chain: those that neither cache nor fetch missing intermediates. */
function failsForSome({ code, severity, attachment }: Finding): boolean {
  const isChain = code === 'incomplete_chain' || code === 'intermediate_expired';
  // Without a corrected chain, the search for the missing certificate has not finished, and its result is open.
  return isChain && severity === 'warning' && attachment === 'chain';
}

/**
 * Returns a condition if the leaf was replaced although its renewal was not due, it was not revoked, and no finding of the
 * previous check called for a replacement; else null.
 */
function unexpectedChange(verdict: Verdict, previous: Verdict | null): Condition | null {
  const replaced = replacedCertificate(previous, verdict);
  const before = previous?.lastSeen;
  if (replaced === null || !before || !verdict.lastSeen) return null;
  const old = before.expiring.find(({ fingerprint }) => fingerprint === replaced.from);
  const successor = verdict.lastSeen.expiring.find(({ fingerprint }) => fingerprint === replaced.to);
  if (!old || !successor) return null;
  const wasDue =
    verdict.observedAt >= expectedRenewal(old).from ||
    before.revoked.some(({ served }) => served) ||
    before.findings.some(({ code }) => REPLACEMENT_REASONS.has(code));
  if (wasDue) return null;
  return {
    problem: 'changed',
    fingerprint: replaced.to,
    expiring: null,
    severity: 'warning',
    facts: {
      ...NO_FACTS,
      certificate: toAlertCertificate(old),
      asOf: verdict.lastSeen.at,
      successor: toAlertCertificate(successor),
    },
  };
}

/** Findings that give people a reason to replace a certificate. */
const REPLACEMENT_REASONS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'replacement_wanted',
  'renewal_overdue',
  'expired',
  'revoked',
  'intermediate_revoked',
  'intermediate_expired',
  'incomplete_chain',
  'staple_missing',
  'name_mismatch',
  'self_signed',
  'untrusted_root',
  'distrusted_root',
  'path_invalid',
  'weak_key',
  'weak_signature',
  'malformed_certificate',
  'lifetime_too_long',
  'not_yet_valid',
]);

function toAlertCertificate({
  fingerprint,
  notBefore,
  notAfter,
  role,
  name,
}: ExpiringCertificate | RevokedCertificate): AlertCertificate {
  return { fingerprint, notBefore, notAfter, role, name };
}

/**
 * Returns the fingerprints of the old and the new leaf if a check found the certificate replaced, else null. `current` must
 * be judged with `previous`, so that a replacement during an outage is found afterwards. A leaf that one of the last few
 * checks saw is no replacement: several servers answer for one name.
 */
export function replacedCertificate(
  previous: Verdict | null,
  current: Verdict,
): { from: string; to: string } | null {
  const before = previous?.lastSeen ?? null;
  const after = current.lastSeen;
  if (!current.reached || before === null || after === null) return null;
  const [from, to] = [before.leafFingerprint, after.leafFingerprint];
  const isKnown = rememberedFrom(previous).turns.some(({ certificate }) => certificate.fingerprint === to);
  return from === to || isKnown ? null : { from, to };
}

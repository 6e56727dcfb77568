import { replacedCertificate } from '../diff.ts';
import { expectedRenewal } from '../alert-steps.ts';
import type { ExpiringCertificate, Finding, FindingCode, RevokedCertificate, Verdict } from '../verdict.ts';
import type { AlertCertificate, AlertFacts, AlertSeverity, Problem } from './alert.ts';

/** Something that is so, as far as the last look can tell. */
export interface Condition {
  problem: Exclude<Problem, 'down'>;
  /** Empty where it is about whatever the endpoint shows. */
  fingerprint: string;
  /** Of a certificate that will end; what its steps come from. */
  expiring: ExpiringCertificate | null;
  /** How bad it is; of an expiry the step says that. */
  severity: AlertSeverity;
  facts: Omit<AlertFacts, 'startedAt' | 'endedAt'>;
}

/** Findings that have a problem of their own; every other one for which clients turn away is a broken chain. */
const TOLD_OTHERWISE: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'expired',
  'revoked',
  'intermediate_revoked',
  'name_mismatch',
  'address_unreachable',
]);

/**
 * What holds after a look. From a look that reached nobody follows only what time and revocations make of what was last seen; the
 * rest is then not known (`verdict.reached`).
 */
export function conditionsOf(verdict: Verdict, previous: Verdict | null): Condition[] {
  const { lastSeen } = verdict;
  if (lastSeen === null) return [];
  const asOf = lastSeen.at;
  const conditions: Condition[] = [
    ...lastSeen.expiring.map((expiring): Condition => ({
      problem: 'expiry',
      fingerprint: expiring.fingerprint,
      expiring,
      severity: 'warning',
      facts: { ...NOTHING_SAID, certificate: named(expiring), asOf },
    })),
    ...lastSeen.revoked
      .filter(({ served }) => served)
      .map((revoked): Condition => ({
        problem: 'revoked',
        fingerprint: revoked.fingerprint,
        expiring: null,
        severity: 'critical',
        facts: { ...NOTHING_SAID, certificate: named(revoked), asOf },
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
        ...NOTHING_SAID,
        certificate: certificate ? named(certificate) : null,
        asOf,
        message: found.message,
        fix: found.attachment === 'chain' ? FIX_WITH_FILE : found.fix,
      },
    };
  };
  const wrongName = findings.find(
    ({ code, severity }) => code === 'name_mismatch' && severity === 'critical',
  );
  const broken = findings.find(breaksChain(lastSeen.expiring, judgedAt)) ?? findings.find(leavesSomeOut);
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

/** The advice of the finding itself stands beside the file; a message has none with it, but leads to the domain. */
const FIX_WITH_FILE =
  'Install the file that stands ready with the details of this domain: the certificate and what stands above it, in the order that clients expect.';

/** Two addresses may show the same certificate; it is one thing to tell. */
function distinct(conditions: readonly Condition[]): Condition[] {
  return [...new Map(conditions.map((one) => [`${one.problem} ${one.fingerprint}`, one])).values()];
}

const NOTHING_SAID = { certificate: null, message: null, fix: null, successor: null };

/** All clients refuse it. An intermediate that has ended and is watched is told of by its own expiry. */
function breaksChain(expiring: readonly ExpiringCertificate[], now: number): (finding: Finding) => boolean {
  const isWatched = expiring.some(({ role, notAfter }) => role === 'intermediate' && notAfter <= now);
  return ({ code, severity }) =>
    severity === 'critical' && !TOLD_OTHERWISE.has(code) && !(code === 'intermediate_expired' && isWatched);
}

/** Clients that remember or fetch what the server does not send accept it, the others do not. */
function leavesSomeOut({ code, severity, attachment }: Finding): boolean {
  const isChain = code === 'incomplete_chain' || code === 'intermediate_expired';
  // Without the chain to send instead it is still being looked for, and nobody knows yet how it ends.
  return isChain && severity === 'warning' && attachment === 'chain';
}

/** Replaced although nobody would renew it yet: before its time, not revoked, and not because its CA asked for it. */
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
    before.findings.some(({ code }) => EXCUSES.has(code));
  if (wasDue) return null;
  return {
    problem: 'changed',
    fingerprint: replaced.to,
    expiring: null,
    severity: 'warning',
    facts: {
      ...NOTHING_SAID,
      certificate: named(old),
      asOf: verdict.lastSeen.at,
      successor: named(successor),
    },
  };
}

/** A certificate with one of these is replaced as soon as somebody reads of it. */
const EXCUSES: ReadonlySet<FindingCode> = new Set<FindingCode>([
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

function named({
  fingerprint,
  notBefore,
  notAfter,
  role,
  name,
}: ExpiringCertificate | RevokedCertificate): AlertCertificate {
  return { fingerprint, notBefore, notAfter, role, name };
}

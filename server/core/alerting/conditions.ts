import { diff } from '../diff.ts';
import { expectedRenewal } from '../alert-steps.ts';
import type { ExpiringCertificate, Finding, FindingCode, RevokedCertificate, Verdict } from '../verdict.ts';
import type { AlertCertificate, AlertFacts, Problem } from './alert.ts';

/** Something that is so, as far as the last look can tell. */
export interface Condition {
  problem: Exclude<Problem, 'down'>;
  /** Empty where it is about whatever the endpoint shows. */
  fingerprint: string;
  /** Of a certificate that will end; what its steps come from. */
  expiring: ExpiringCertificate | null;
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
      ...{ problem: 'expiry', fingerprint: expiring.fingerprint, expiring },
      facts: { ...NOTHING_SAID, certificate: named(expiring), asOf },
    })),
    ...lastSeen.revoked
      .filter(({ served }) => served)
      .map((revoked): Condition => ({
        ...{ problem: 'revoked', fingerprint: revoked.fingerprint, expiring: null },
        facts: { ...NOTHING_SAID, certificate: named(revoked), asOf },
      })),
  ];
  if (!verdict.reached) return conditions;
  const { findings } = verdict;
  const finding = (code: FindingCode) => findings.find((one) => one.code === code);
  const about = (problem: Condition['problem'], found: Finding | undefined, fingerprint: string) => {
    if (found === undefined) return;
    const certificate = lastSeen.expiring.find((one) => one.fingerprint === found.fingerprint);
    conditions.push({
      ...{ problem, fingerprint, expiring: null },
      facts: {
        ...NOTHING_SAID,
        ...{ certificate: certificate ? named(certificate) : null, asOf },
        ...{ message: found.message, fix: found.fix },
      },
    });
  };
  about('wrong_name', finding('name_mismatch'), '');
  about('chain_broken', findings.find(breaksChain(lastSeen.expiring, verdict.judgedAt)), '');
  const wanted = finding('replacement_wanted');
  about('replacement_wanted', wanted, wanted?.fingerprint ?? '');
  const changed = unexpectedChange(verdict, previous);
  if (changed) conditions.push(changed);
  return conditions;
}

const NOTHING_SAID = { certificate: null, message: null, fix: null, successor: null };

/** An intermediate that has ended and is watched is told of by its own expiry. */
function breaksChain(expiring: readonly ExpiringCertificate[], now: number): (finding: Finding) => boolean {
  const isWatched = expiring.some(({ role, notAfter }) => role === 'intermediate' && notAfter <= now);
  return ({ code, severity }) =>
    severity === 'critical' && !TOLD_OTHERWISE.has(code) && !(code === 'intermediate_expired' && isWatched);
}

/** Replaced although nobody would renew it yet: before its time, not revoked, and not because its CA asked for it. */
function unexpectedChange(verdict: Verdict, previous: Verdict | null): Condition | null {
  const replaced = diff(previous, verdict).find((event) => event.kind === 'certificate_replaced');
  const before = previous?.lastSeen;
  if (replaced?.kind !== 'certificate_replaced' || !before || !verdict.lastSeen) return null;
  const old = before.expiring.find(({ fingerprint }) => fingerprint === replaced.from);
  const successor = verdict.lastSeen.expiring.find(({ fingerprint }) => fingerprint === replaced.to);
  if (!old || !successor) return null;
  const wasDue =
    verdict.observedAt >= expectedRenewal(old).from ||
    before.revoked.some(({ fingerprint }) => fingerprint === old.fingerprint) ||
    before.findings.some(({ code }) => EXCUSES.has(code));
  if (wasDue) return null;
  return {
    ...{ problem: 'changed', fingerprint: replaced.to, expiring: null },
    facts: {
      ...NOTHING_SAID,
      ...{ certificate: named(old), asOf: verdict.lastSeen.at, successor: named(successor) },
    },
  };
}

/** A certificate with one of these is replaced as soon as somebody reads of it. */
const EXCUSES: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'replacement_wanted',
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

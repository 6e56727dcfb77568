import { isProblem } from '../../../contract/check-words.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { SOON_DAYS } from '../../../contract/words.ts';
import { displayName } from '../endpoint.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { connectsTo } from '../judge/clients/client-rule.ts';
import { clientsRefusingNow } from '../judge/clients/refusals.ts';
import { longInstant } from '../long-date.ts';
import type { Observation } from '../observation.ts';
import { findingMessage } from '../report/describe-finding.ts';
import { failureSentence } from '../report/reach-finding.ts';
import type { Verdict } from '../verdict.ts';
import { validFrom } from '../judge/path-findings.ts';

/**
 * A problem other than a near expiry. `refused`: the certificate is trusted, but a client that we know does not connect today.
 * `overdue`: its renewal is overdue. `flawed`: another finding asks for a fix.
 */
export type StoredProblem = 'unreachable' | 'untrusted' | 'refused' | 'overdue' | 'flawed';

/** Problems of a certificate on a domain, besides expiry, worst first. The last three mean the same as in `StoredProblem`. */
export const CERTIFICATE_PROBLEMS = [
  'revoked',
  'wrong_name',
  'untrusted',
  'refused',
  'flawed',
  'overdue',
] as const;
export type CertificateProblem = (typeof CERTIFICATE_PROBLEMS)[number];

/** Critical findings that are not problems of the certificate: expiry is a state of its own, and the others are faults of the server. */
const NOT_ABOUT_CERTIFICATES: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'expired',
  'legacy_tls',
  'http2_fault',
]);

/** Returns the worst problem of a certificate that an address serves, besides expiry; null if there is none. */
export function certificateProblem(
  verdict: Verdict,
  fingerprint: string,
  protocol: Protocol,
): CertificateProblem | null {
  const isLeaf = verdict.leafFingerprint === fingerprint || verdict.lastSeen?.leafFingerprint === fingerprint;
  const revoked = verdict.lastSeen?.revoked.some((one) => one.fingerprint === fingerprint) ?? false;
  if (revoked || (isLeaf && verdict.revocation.state === 'revoked')) return 'revoked';
  const its = verdict.findings.filter(
    ({ severity, code, fingerprint: about, keyType }) =>
      isProblem({ severity }) &&
      keyType === null &&
      !NOT_ABOUT_CERTIFICATES.has(code) &&
      (about === fingerprint || (isLeaf && about === null)),
  );
  const serious = its.filter(({ severity }) => severity === 'critical');
  if (serious.some(({ code }) => code === 'name_mismatch')) return 'wrong_name';
  if (serious.length > 0) return 'untrusted';
  if (its.some((finding) => isRefusal(finding, protocol))) return 'refused';
  const flaw = flawOf(its.filter((finding) => finding.fingerprint === fingerprint))?.code ?? null;
  const { path, judgedAt } = verdict;
  // Its chain can end before the leaf of another address, whose certificate then has no fault.
  const isLimited = path.some((one) => one.fingerprint === verdict.limiting?.fingerprint);
  return isLeaf && isLimited && endsFirstSoon(verdict, judgedAt) ? 'flawed' : flaw;
}

/** Returns whether an intermediate expires first, and within two weeks. */
const endsFirstSoon = ({ limiting }: Verdict, now: number): boolean =>
  limiting?.role === 'intermediate' && limiting.notAfter < now + (SOON_DAYS + 1) * DAY_MS;

/** Returns whether a client that we know does not connect today. False just before the start of validity, because our clock may be wrong. */
const isRefusal = (finding: Finding, protocol: Protocol): boolean =>
  clientsRefusingNow(finding).some(connectsTo(protocol)) && validFrom([finding]) === null;

/** Returns a finding that asks for a fix: an overdue renewal only if there is no other. Null if nobody needs to act. */
function flawOf(findings: readonly Finding[]): { code: 'overdue' | 'flawed'; finding: Finding } | null {
  const flaws = findings.filter((one) => isProblem(one) && validFrom([one]) === null);
  const finding = flaws.find(({ code }) => code !== 'renewal_overdue') ?? flaws[0];
  if (finding === undefined) return null;
  return { code: finding.code === 'renewal_overdue' ? 'overdue' : 'flawed', finding };
}

/** Says that an intermediate expires before the leaf. `notAfter` in ms UTC. */
export const limitingMessage = ({ name, notAfter }: { name: string; notAfter: number }): string =>
  `Its intermediate ${name} expires first, on ${longInstant(notAfter)}.`;

/** Returns the worst problem: a finding that is more than a note, or an intermediate that expires within two weeks. Null if all is fine. */
export function problemOf(
  verdict: Verdict,
  endpoint: Observation['endpoint'],
  now: number,
): { code: StoredProblem; message: string } | null {
  const { reached, trusted, failure, findings, limiting } = verdict;
  const host = displayName(endpoint);
  const [worst] = findings;
  if (!reached) return { code: 'unreachable', message: failure ? failureSentence(failure, host) : '' };
  if (!trusted) return { code: 'untrusted', message: worst ? findingMessage(worst, host) : '' };
  const refusal = findings.find((finding) => isRefusal(finding, endpoint.protocol));
  if (refusal) return { code: 'refused', message: findingMessage(refusal, host) };
  const flaw = flawOf(findings);
  if (flaw?.code !== 'flawed' && limiting !== null && endsFirstSoon(verdict, now)) {
    return { code: 'flawed', message: limitingMessage(limiting) };
  }
  return flaw && { code: flaw.code, message: findingMessage(flaw.finding, host) };
}

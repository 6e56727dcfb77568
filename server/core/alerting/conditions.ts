import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { expectedRenewal } from '../alert-steps.ts';
import type { CertificateFacts } from '../facts.ts';
import { oneLine } from '../one-line.ts';
import { definitionOf, type Finding, type FindingCode, kindOf } from '../finding.ts';
import type { Definition } from '../findings/definition.ts';
import { findingFix, findingMessage } from '../report/describe-finding.ts';
import type { ExpiringCertificate, RevokedCertificate, Verdict } from '../verdict.ts';
import type {
  AlertCertificate,
  AlertFacts,
  AlertSeverity,
  Problem,
  RefusalStart,
  RegistrationEnd,
} from './alert.ts';
import { isHttp2Outage } from '../judge/address-findings.ts';
import { clientsRefusing } from '../judge/clients/refusals.ts';
import { rememberedFrom } from '../judge/previous-verdict.ts';

/** A problem that exists according to the last check. */
export interface Condition {
  problem: Exclude<Problem, 'down'>;
  /**
   * Fingerprint of the certificate (for `renewal_fails` followed by the key of the cause), or name and last day of the registration; empty
   * if the problem concerns the endpoint.
   */
  fingerprint: string;
  /** The certificate that determines the alert steps; null unless the problem is `expiry`. */
  expiring: ExpiringCertificate | null;
  /** Severity of the problem; unused for an expiry, whose step decides the severity. */
  severity: AlertSeverity;
  facts: Omit<AlertFacts, 'startedAt' | 'endedAt'>;
}

/** Returns the end of the domain registration that the registry published last; null if it published none. */
export function registrationEnd({ posture }: Verdict): RegistrationEnd | null {
  if (posture?.registration.outcome !== 'expires') return null;
  const { domain, expiresAt, registrar } = posture.registration;
  return { domain, expiresAt, registrar };
}

/** Key of a registration's end by its day, because a renewal begins a new one, and registries round times. */
const registrationKey = ({ domain, expiresAt }: RegistrationEnd): string =>
  `${domain} ${new Date(expiresAt).toISOString().slice(0, 10)}`;

/** Time in ms within which the other domains should get a renewed certificate after the first domain got it. */
const MAX_DEPLOYMENT_MS = DAY_MS;
/** Share of the lifetime of a short-lived certificate that replaces `MAX_DEPLOYMENT_MS`. */
const DEPLOYMENT_SHARE = 0.1;

/** Certificates issued within this time, such as one with an RSA and one with an ECDSA key, do not replace each other. */
const ISSUED_TOGETHER_MS = HOUR_MS;

/** Returns whether a certificate was issued so much later that it replaces the other one. */
function isRenewalOf(after: { notBefore: number }, before: { notBefore: number }): boolean {
  return after.notBefore - before.notBefore > ISSUED_TOGETHER_MS;
}

/**
 * Returns the addresses that serve neither the `successor` of a deployment nor a later certificate. `certificate` is null if a user
 * announced the successor.
 */
export function waitingAddresses(
  { certificate, successor }: Pick<AlertFacts, 'certificate' | 'successor'>,
  { addresses, lastSeen, posture }: Pick<Verdict, 'addresses' | 'lastSeen' | 'posture'>,
): Verdict['addresses'] {
  if (successor === null) return [];
  // A host may have two certificates issued together, for different key types, and a check sees only one. So a certificate issued at about
  // the same time as the successor counts as served. Not if `isStrict`: the host has no second one, and a user announced the successor.
  const isStrict = certificate === null && (posture?.alternates ?? []).length === 0;
  return addresses.filter(({ fingerprint: served }) => {
    const leaf = lastSeen?.expiring.find(({ fingerprint }) => fingerprint === served);
    if (leaf === undefined || served === successor.fingerprint) return false;
    return isStrict ? leaf.notBefore <= successor.notBefore : isRenewalOf(successor, leaf);
  });
}

/**
 * Returns the facts of a deployment that has begun if a domain changed from a certificate to its renewal: one with the same names that
 * was issued later. `dueAt` is when the other domains should have changed too. Returns null for other changes.
 */
export function begunDeployment(
  before: CertificateFacts,
  after: CertificateFacts,
  now: number,
): (AlertFacts & { dueAt: number }) | null {
  const hasSameNames = new Set(before.sans).symmetricDifference(new Set(after.sans)).size === 0;
  if (!hasSameNames || !isRenewalOf(after, before)) return null;
  const lifetime = Math.max(0, after.notAfter - after.notBefore);
  const dueAt = now + Math.min(MAX_DEPLOYMENT_MS, DEPLOYMENT_SHARE * lifetime);
  return { ...expectedDeployment(after, { now, dueAt }), certificate: alertCertificate(before) };
}

/** Returns the facts of a deployment that a user announced, without a certificate that is replaced. */
export function expectedDeployment(
  successor: CertificateFacts,
  { now, dueAt }: { now: number; dueAt: number },
): AlertFacts & { dueAt: number } {
  return {
    ...NO_FACTS,
    successor: alertCertificate(successor),
    asOf: now,
    startedAt: now,
    endedAt: null,
    dueAt,
  };
}

const alertCertificate = ({
  fingerprint,
  notBefore,
  notAfter,
  subject,
}: CertificateFacts): AlertCertificate => ({
  fingerprint,
  notBefore,
  notAfter,
  role: 'leaf',
  name: oneLine(subject),
});

function registrationCondition(end: RegistrationEnd, asOf: number): Condition {
  return {
    problem: 'registration',
    fingerprint: registrationKey(end),
    expiring: null,
    severity: 'warning',
    facts: { ...NO_FACTS, asOf, registration: end },
  };
}

/**
 * Returns the problems that exist after a check. Includes an `expiry` for every certificate with expiry alerts, a `registration` and a
 * `refused_from`, however far away their dates are. If the check read no certificate, returns only the first two and the revocations of the
 * certificates last seen, because the rest is unknown. `host`: name of the endpoint for messages.
 */
export function conditionsOf(verdict: Verdict, previous: Verdict | null, host: string): Condition[] {
  const { lastSeen } = verdict;
  if (lastSeen === null) return [];
  const asOf = lastSeen.at;
  const registration = registrationEnd(verdict);
  const conditions: Condition[] = [
    ...(registration === null ? [] : [registrationCondition(registration, verdict.posture?.at ?? asOf)]),
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
    ({ code, severity }) => alertsAs(code) === 'wrong_name' && severity === 'critical',
  );
  const broken = findings.find(breaksChain(lastSeen.expiring, judgedAt)) ?? findings.find(failsForSome);
  const changed = unexpectedChange(verdict, previous);
  return distinct([
    ...conditions,
    ...(wrongName ? [about('wrong_name', wrongName, '')] : []),
    ...(broken ? [about('chain_broken', broken, '')] : []),
    ...findings
      .filter(({ code }) => alertsAs(code) === 'replacement_wanted')
      .map((wanted) => about('replacement_wanted', wanted, wanted.fingerprint ?? '')),
    ...refusals(findings).map(({ finding, refusal }): Condition => {
      const condition = about('refused_from', finding, finding.fingerprint ?? '');
      return { ...condition, facts: { ...condition.facts, refusal } };
    }),
    ...(changed ? [changed] : []),
  ]);
}

/** Returns the findings about refusals to come, the earliest last: of several about a certificate, the last condition counts. */
function refusals(findings: readonly Finding[]): { finding: Finding; refusal: RefusalStart }[] {
  return findings
    .flatMap((finding) =>
      finding.facts.kind === 'refused_from'
        ? [{ finding, refusal: { from: finding.facts.from, clients: finding.clients ?? [] } }]
        : [],
    )
    .toSorted((left, right) => right.refusal.from - left.refusal.from);
}

/**
 * Advice that replaces the finding's own, which refers to an attached file. A message has no file, but links to the domain.
 */
const FIX_WITH_FILE =
  'Install the file from this domain’s details: the certificate and its intermediates, in the right order.';

/**
 * Returns the problem under which findings with this code cause alerts: undefined if critical ones count as a broken chain, null if they
 * cause no alerts.
 */
function alertsAs(code: FindingCode): Definition['problem'] {
  return definitionOf(code)?.problem;
}

/** Keeps one condition per problem and certificate, because several findings may be about the same certificate. */
function distinct(conditions: readonly Condition[]): Condition[] {
  return [...new Map(conditions.map((one) => [`${one.problem} ${one.fingerprint}`, one])).values()];
}

export const NO_FACTS = { certificate: null, message: null, fix: null, successor: null };

/**
 * Returns a predicate for critical findings that count as a broken chain. `intermediate_expired` does not count while an expired
 * intermediate has its own expiry incident. HTTP/2 that gives no answer does not count, because that is an outage.
 */
function breaksChain(expiring: readonly ExpiringCertificate[], now: number): (finding: Finding) => boolean {
  const isWatched = expiring.some(({ role, notAfter }) => role === 'intermediate' && notAfter <= now);
  return (finding) => {
    const { code, severity, keyType } = finding;
    return (
      severity === 'critical' &&
      // The problem `revoked` covers only the leaf of the usual handshake, so revoked leaves for other key types count here.
      (alertsAs(code) === undefined || (keyType !== null && code.endsWith('revoked'))) &&
      !isHttp2Outage(finding) &&
      !(code === 'intermediate_expired' && isWatched)
    );
  };
}

/**
 * Returns whether only some clients refuse the chain: those that neither cache nor fetch missing intermediates. Ignores
 * chains that no client is known to get.
 */
function failsForSome(finding: Finding): boolean {
  return kindOf(finding.facts).breaksChain === true && clientsRefusing(finding).length > 0;
}

/**
 * Returns a condition if the leaf was replaced although its renewal was not due, and the last check that read the old one
 * found neither a revocation in its chain nor another reason to replace it; else null.
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
    before.findings.some(({ code }) => definitionOf(code)?.isReasonToReplace);
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

export function toAlertCertificate({
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
 * checks saw is no replacement, because several servers may answer for one name.
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

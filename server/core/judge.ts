import type { Certificate, Reference, TrustStore } from '../pki/index.ts';
import { parseIpAddress } from '../pki/index.ts';
import { certificateName } from './certificate-name.ts';
import type { ChainJudgement } from './chain-findings.ts';
import { judgeChain } from './chain-findings.ts';
import { displayName } from './endpoint.ts';
import { longDate } from './long-date.ts';
import type { HandshakeObservation, Observation, ReachFailure } from './observation.ts';
import type { ChainFinding } from './path-findings.ts';
import { mostTellingFailure, whatHappened } from './reach-failure.ts';
import type { AddressVerdict, ExpiringCertificate, Finding, LastSeen, Severity, Verdict } from './verdict.ts';

const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'note'];

const NO_ADVICE = { fix: null, command: null, evidence: [], attachment: null };

interface Answer {
  seen: HandshakeObservation;
  judgement: ChainJudgement;
}

/**
 * Concludes from an observation what holds at `now`, over all addresses and with every finding. It can be repeated at any
 * later time with the same evidence, another `now` or other anchors.
 */
export function judge(observation: Observation, now: number, trustStore: TrustStore): Verdict {
  const host = displayName(observation.endpoint);
  const answers = judgeAnswers(observation, host, now, trustStore);
  const read = answers.flatMap(({ judgement: { leaf, weakest }, seen }) =>
    leaf === null || weakest === null ? [] : [{ leaf, weakest, address: seen.address }],
  );
  const findings = [
    ...chainFindings(answers),
    ...differingCertificates(read),
    ...legacyFindings(answers),
    ...unreachableFindings(observation, read.length > 0),
  ].toSorted((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));

  const leaf = earliest(read.map((one) => one.leaf));
  const weakest = earliest(read.map((one) => one.weakest));
  const role = read.some((one) => one.leaf === weakest) ? 'leaf' : 'intermediate';
  const limiting = weakest === null ? null : expiring(weakest, role);
  const reached = read.length > 0;
  return {
    judgedAt: now,
    observedAt: observation.observedAt,
    reached,
    failure: reached ? null : (mostTellingFailure(observation, host) ?? unreadable(host)),
    addresses: addressVerdicts(observation, answers),
    leafFingerprint: leaf?.fingerprint ?? null,
    limiting,
    findings,
    trusted: reached && findings.every(({ severity }) => severity !== 'critical'),
    path: [],
    chainToServe: null,
    // Nobody has been asked: that is neither good nor bad.
    revocation: { state: 'unknown', source: null, at: null, reason: null, revokedAt: null, sources: [] },
    renewal: null,
    posture: null,
    trustStoreHash: trustStore.hash,
    lastSeen: leaf === null ? null : lastSeen(observation, read, leaf, limiting, findings),
  };
}

/** Addresses of one host mostly show the same chain: each distinct one is judged once. */
function judgeAnswers(observation: Observation, host: string, now: number, trustStore: TrustStore): Answer[] {
  const reference = referenceOf(observation.endpoint.host);
  const known = new Map<string, ChainJudgement>();
  const answers: Answer[] = [];
  for (const seen of observation.addresses) {
    if (seen.outcome !== 'handshake') continue;
    const key = seen.presentedChain.map((der) => Buffer.from(der).toString('base64')).join(' ');
    const judgement =
      known.get(key) ?? judgeChain({ presentedChain: seen.presentedChain, reference, host, trustStore, now });
    known.set(key, judgement);
    answers.push({ seen, judgement });
  }
  return answers;
}

function referenceOf(host: string): Reference {
  return parseIpAddress(host) === null ? { kind: 'dns', name: host } : { kind: 'ip', address: host };
}

/** The same finding at several addresses is one finding. */
function chainFindings(answers: readonly Answer[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { seen, judgement } of answers) {
    for (const finding of judgement.findings) {
      const key = `${finding.code} ${finding.fingerprint} ${finding.message}`;
      const same = findings.get(key);
      if (same === undefined) findings.set(key, { ...finding, ...NO_ADVICE, addresses: [seen.address] });
      else same.addresses.push(seen.address);
    }
  }
  return [...findings.values()];
}

function differingCertificates(read: readonly { leaf: Certificate; address: string }[]): Finding[] {
  const older = earliest(read.map(({ leaf }) => leaf));
  const differing = new Set(read.map(({ leaf }) => leaf.fingerprint)).size;
  if (older === null || differing < 2) return [];
  const behind = read.filter(({ leaf }) => leaf.fingerprint === older.fingerprint);
  const [verb, share] = [
    behind.length === 1 ? 'shows' : 'show',
    `${behind.length} of ${read.length} addresses`,
  ];
  const message = read.some(({ leaf }) => leaf.notAfter > older.notAfter)
    ? `${share} ${verb} a certificate that expires earlier than elsewhere, on ${longDate(older.notAfter, 'UTC')}.`
    : `${read.length} addresses show ${differing} different certificates.`;
  return [
    finding(
      { code: 'certificates_differ', severity: 'warning', message, fingerprint: older.fingerprint },
      behind,
    ),
  ];
}

function legacyFindings(answers: readonly Answer[]): Finding[] {
  const legacy = answers.filter(({ seen }) => seen.legacyTls).map(({ seen }) => seen);
  const [first] = legacy;
  if (first === undefined) return [];
  const message = `The server needs outdated encryption (${first.tlsVersion}), which browsers refuse.`;
  return [finding({ code: 'legacy_tls', severity: 'warning', message, fingerprint: null }, legacy)];
}

/** Addresses that failed beside others that answered. What our own side lacks is no finding about the host. */
function unreachableFindings(observation: Observation, reached: boolean): Finding[] {
  if (!reached) return [];
  const failed = observation.addresses.flatMap((one) =>
    one.outcome === 'failed' && one.reason !== 'no_route_here' ? [one] : [],
  );
  const byReason = Map.groupBy(failed, ({ reason }): ReachFailure => reason);
  return [...byReason].map(([reason, addresses]) => {
    const message = `${addresses.length} of ${observation.addresses.length} addresses could not be checked: it ${whatHappened(reason)}.`;
    return finding(
      { code: 'address_unreachable', severity: 'warning', message, fingerprint: null },
      addresses,
    );
  });
}

function finding(chainFinding: ChainFinding, shownBy: readonly { address: string }[]): Finding {
  return { ...chainFinding, ...NO_ADVICE, addresses: shownBy.map(({ address }) => address) };
}

function unreadable(host: string): NonNullable<Verdict['failure']> {
  const message = `${host} shows a certificate that cannot be read.`;
  return { stage: 'handshake', reason: 'no_certificate', message };
}

function addressVerdicts(observation: Observation, answers: readonly Answer[]): AddressVerdict[] {
  return observation.addresses.map((seen): AddressVerdict => {
    const { address, family } = seen;
    if (seen.outcome === 'failed') {
      const { stage, reason } = seen;
      return {
        address,
        family,
        fingerprint: null,
        notAfter: null,
        tlsVersion: null,
        group: null,
        durationMs: seen.durationMs,
        failure: { stage, reason },
      };
    }
    const leaf = answers.find((answer) => answer.seen === seen)?.judgement.leaf ?? null;
    return {
      address,
      family,
      fingerprint: leaf?.fingerprint ?? null,
      notAfter: leaf?.notAfter ?? null,
      tlsVersion: seen.tlsVersion,
      group: seen.group,
      durationMs: seen.durationMs,
      failure: null,
    };
  });
}

/** Every leaf that is served counts, and the certificate above them when it ends before all of them. */
function lastSeen(
  observation: Observation,
  read: readonly { leaf: Certificate }[],
  leaf: Certificate,
  limiting: ExpiringCertificate | null,
  findings: readonly Finding[],
): LastSeen {
  const leaves = new Map(read.map((one) => [one.leaf.fingerprint, expiring(one.leaf, 'leaf')]));
  return {
    at: observation.observedAt,
    leafFingerprint: leaf.fingerprint,
    expiring: [...leaves.values(), ...(limiting?.role === 'intermediate' ? [limiting] : [])],
    findings: findings.map(({ code, fingerprint }) => ({ code, fingerprint })),
    revoked: [],
  };
}

function expiring(certificate: Certificate, role: ExpiringCertificate['role']): ExpiringCertificate {
  const { fingerprint, notBefore, notAfter } = certificate;
  return {
    fingerprint,
    notBefore,
    notAfter,
    role,
    name: certificateName(certificate),
    renewalWindow: null,
  };
}

function earliest(certificates: readonly Certificate[]): Certificate | null {
  const [first, ...rest] = certificates;
  return rest.reduce<Certificate | null>(
    (soonest, one) => (soonest !== null && one.notAfter < soonest.notAfter ? one : soonest),
    first ?? null,
  );
}

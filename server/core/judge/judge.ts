import { tryParseCertificate } from '../../pki/certificate.ts';
import { isFinal } from '../../pki/revocation/revocation-status.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import {
  addressFindings,
  alpnFindings,
  leftOutFindings,
  type LocatedFinding,
  replacedLeaves,
} from './address-findings.ts';
import { ChainJudge, type JudgedAddress } from './answers.ts';
import { clientsGetting, limitToClients } from './clients/served-clients.ts';
import { FINDING_SEVERITIES } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import {
  followRegistration,
  rememberedFrom,
  unreachedVerdict,
  withEarlierPosture,
  withKnownWindows,
  withPendingAnswer,
} from './previous-verdict.ts';
import { helloFindings, postQuantumSupport } from './clients/hello-rules.ts';
import { earliest, expiringCertificate, renewalVerdict, renewalWindow } from './renewal.ts';
import type { ChainFinding, Finding } from '../finding.ts';
import { contentKey } from '../findings/definition.ts';
import type { Observation } from '../observation.ts';
import { mostTellingFailure } from '../telling-failure.ts';
import { withoutLiftedHolds } from './revocation.ts';
import { recordServed, rotatingCertificates, rotationFinding } from './rotation.ts';
import type {
  AddressVerdict,
  ExpiringCertificate,
  Failure,
  PathEntry,
  PostureVerdict,
  RevokedCertificate,
  Verdict,
} from '../verdict.ts';
import { certificateName } from '../facts.ts';
import { judgeTransparency, type LogLists, NO_LOG_LISTS } from './transparency.ts';
import { addressLabel } from '../srv.ts';
import type { ChainJudgement } from './chain-findings.ts';

/**
 * Judges an observation at `now`, over all addresses and with every finding. The same evidence can be judged again later, or
 * with other anchors. Copies from the `previous` verdict what this check could not see, and keeps a revoked certificate
 * revoked. Once `work` (operations, not time) is spent, the rest is not verified, and the verdict says so.
 */
export function judge(
  seen: Observation,
  now: number,
  trustStore: TrustStore,
  previous: Verdict | null = null,
  work: WorkBudget = new WorkBudget(),
  logLists: LogLists = NO_LOG_LISTS,
): Verdict {
  const observation = { ...seen, renewal: withKnownWindows(seen.renewal, previous) };
  const before = rememberedFrom(previous);
  const revoked = withoutLiftedHolds(before.revoked, observation.revocation, now);
  const chains = new ChainJudge(observation, now, trustStore, revoked, work);
  const answers = chains.answers();
  const base = {
    judgedAt: now,
    observedAt: observation.observedAt,
    addresses: addressVerdicts(observation, answers),
    trustStoreHash: trustStore.hash,
  };
  const read = answers.flatMap(({ judged }) =>
    judged.leaf === null ? [] : [{ ...judged, leaf: judged.leaf }],
  );
  const leaf = earliest(read.map((one) => one.leaf));
  const chainOfLeaf = read.find((one) => one.leaf === leaf);
  if (leaf === null || chainOfLeaf === undefined) {
    return {
      ...unreachedVerdict(previous),
      ...base,
      failure: mostTellingFailure(observation, previous) ?? UNREADABLE,
      findings: worstFirst([
        ...answerFindings(answers, null),
        ...shownFindings(leftOutFindings(observation)),
      ]),
    };
  }

  const { renewal: renewals } = observation;
  const weakest = earliest(read.map((one) => one.weakest ?? one.leaf)) ?? leaf;
  const isLeaf = read.some((one) => one.leaf === weakest);
  const limiting = expiringCertificate(weakest, isLeaf ? 'leaf' : 'intermediate', renewals);
  const served = chainOfLeaf.path === null ? null : leaf.fingerprint;
  const current = expiringCertificate(leaf, 'leaf', renewals);
  const turns = recordServed(before.turns, current, observation.observedAt);
  const others = rotatingCertificates(turns);
  const leaves = new Set(read.map((one) => one.leaf.fingerprint));
  const rotating = others.map(({ fingerprint }) => fingerprint);
  const posture =
    judgePosture(observation, leaves, { chains, previous, rotating }) ?? previous?.posture ?? null;
  const sideBySide = addressFindings(observation, answers, now);
  const replaced = replacedLeaves(read, now);
  const findings = worstFirst([
    ...answerFindings(limitedAnswers(answers, posture, observation.endpoint.protocol), served).filter(
      // If other addresses already show the renewal, `certificates_differ` reports the old certificate.
      ({ code, fingerprint }) => code !== 'renewal_overdue' || !replaced.has(fingerprint),
    ),
    ...shownFindings(sideBySide),
    ...rotationFindings(sideBySide, rotationFinding(current, others, now)),
    ...(posture?.findings ?? []),
  ]);
  return {
    ...base,
    reached: true,
    failure: null,
    leafFingerprint: leaf.fingerprint,
    limiting,
    findings,
    trusted: isTrusted(findings),
    ...pathOf(chainOfLeaf, observation, trustStore),
    revocation: withPendingAnswer(chainOfLeaf.revocation, leaf.fingerprint, previous, now),
    renewal: renewalVerdict(leaf, renewalWindow(leaf, renewals), replaced.has(leaf.fingerprint)),
    posture,
    ...judgeTransparency(chainOfLeaf, answers, { lists: logLists, now, work }),
    lastSeen: {
      at: observation.observedAt,
      leafFingerprint: leaf.fingerprint,
      expiring: distinct([
        ...read.map((one) => expiringCertificate(one.leaf, 'leaf', renewals)),
        ...(limiting.role === 'intermediate' ? [limiting] : []),
        ...others,
        ...(posture?.alternates ?? []).map(({ certificate }) => certificate),
      ]),
      findings: findings.map(({ code, fingerprint }) => ({ code, fingerprint })),
      revoked: stillRevoked(
        revoked,
        answers.flatMap(({ judged }) => judged.revoked),
      ),
      turns,
    },
  };
}

/**
 * Limits the findings of each answer to the clients that get its leaf. Leaves an answer as it is if these clients are not known, for example
 * because the posture check tested an address with another leaf.
 */
function limitedAnswers(
  answers: readonly JudgedAddress[],
  posture: PostureVerdict | null,
  protocol: Protocol,
): JudgedAddress[] {
  const testedAt = posture?.alternates[0]?.address;
  const tested = answers.find(({ seen }) => seen.address === testedAt)?.judged.leaf?.fingerprint;
  return answers.map((answer) => {
    const { leaf } = answer.judged;
    const isTested = tested === undefined || leaf?.fingerprint === tested;
    const clients = leaf === null || !isTested ? null : clientsGetting(leaf, posture);
    if (clients === null) return answer;
    return {
      ...answer,
      findings: answer.findings.flatMap((one) => limitToClients(one, clients, protocol) ?? []),
    };
  });
}

/**
 * Judges the results of the daily posture check. Skips leaves that the usual handshake also shows, leaves that cannot be read, and notes.
 * Limits findings to the clients that get the leaf; if these are not known, the findings are warnings.
 */
function judgePosture(
  { posture, renewal, endpoint }: Observation,
  usual: ReadonlySet<string>,
  { chains, previous, rotating }: { chains: ChainJudge; previous: Verdict | null; rotating: string[] },
): PostureVerdict | null {
  if (posture === null) return null;
  const {
    at,
    tlsVersions,
    caa,
    registration,
    untestedKeyTypes,
    usual: usualLeaf,
    resumesAt,
    hellos,
  } = posture;
  const judged: PostureVerdict = {
    at,
    tlsVersions,
    postQuantum: postQuantumSupport(posture),
    caa,
    registration: followRegistration(previous, registration, at),
    alternates: [],
    untestedKeyTypes,
    ...(usualLeaf && { usual: usualLeaf }),
    ...(resumesAt !== undefined && { resumesAt }),
    findings: [
      ...alpnFindings(posture, new Set([...usual, ...rotating])).map(({ finding, addresses }) =>
        toFinding(finding, addresses),
      ),
      ...(hellos ? helloFindings(hellos) : []).map((finding) =>
        toFinding(finding, hellos ? [hellos.address] : []),
      ),
    ],
  };
  for (const alternate of posture.alternates) {
    const { keyType, address, presentedChain } = alternate;
    const leaf = presentedChain[0] === undefined ? null : tryParseCertificate(presentedChain[0]);
    if (leaf === null || usual.has(leaf.fingerprint)) continue;
    // Ordinary checks saw this leaf too: several servers answer in rotation, so it is chance which client got which leaf.
    const isChance = rotating.includes(leaf.fingerprint);
    if (isChance) delete judged.usual;
    const clients = isChance ? undefined : alternate.clients;
    judged.alternates.push({
      keyType,
      address,
      certificate: expiringCertificate(leaf, 'leaf', renewal),
      ...(clients && { clients }),
    });
    for (const finding of chains.alternateFindings(alternate)) {
      if (finding.severity === 'note') continue;
      const limited: ChainFinding | null =
        clients === undefined
          ? { ...finding, severity: finding.severity === 'upcoming' ? 'upcoming' : 'warning' }
          : limitToClients(finding, clients, endpoint.protocol);
      if (limited === null) continue;
      judged.findings.push({
        ...toFinding(limited, [address]),
        keyType,
        ...(clients && { shownTo: clients }),
      });
    }
  }
  return withEarlierPosture(judged, posture.postponed ?? [], { previous: previous?.posture ?? null, usual });
}

/**
 * Returns the findings of all chains, each once with all addresses that show it. `served`: fingerprint of the leaf of the
 * chain that the verdict offers to serve; null if it offers none.
 */
function answerFindings(answers: readonly JudgedAddress[], served: string | null): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { seen, judged, findings: ofAnswer } of answers) {
    for (const finding of ofAnswer) {
      const key = `${finding.fingerprint} ${contentKey(finding)}`;
      const same = findings.get(key);
      if (same !== undefined) same.addresses.push(addressLabel(seen));
      else {
        const isOffered =
          finding.fixedByChain === true && served !== null && judged.leaf?.fingerprint === served;
        findings.set(key, {
          ...toFinding(finding, [addressLabel(seen)]),
          attachment: isOffered ? 'chain' : null,
        });
      }
    }
  }
  return [...findings.values()];
}

function toFinding(
  { code, severity, fingerprint, facts, clients }: ChainFinding,
  addresses: string[],
): Finding {
  const known = clients === undefined ? {} : { clients };
  return { code, severity, facts, addresses, fingerprint, keyType: null, attachment: null, ...known };
}

function shownFindings(shown: readonly LocatedFinding[]): Finding[] {
  return shown.map(({ finding, addresses }) => toFinding(finding, addresses));
}

/** Returns the finding about rotation; none if another finding already reports that addresses differ. */
function rotationFindings(sideBySide: readonly LocatedFinding[], finding: ChainFinding | null): Finding[] {
  const isReported = sideBySide.some((one) => one.finding.code === 'certificates_differ');
  return finding === null || isReported ? [] : [toFinding(finding, [])];
}

const MAX_REMEMBERED = 20;

/**
 * Merges the revoked certificates of earlier checks with those of this one, by issuer and serial number, and keeps the last 20. Keeps the first
 * record of each, or the final one after a hold, but takes `served` from this check.
 */
function stillRevoked(
  before: readonly RevokedCertificate[],
  now: readonly RevokedCertificate[],
): RevokedCertificate[] {
  const known = new Map(before.map((one) => [one.key, { ...one, served: false }]));
  // Sort so that `served: true` wins: a path may need the certificate at one address and not at another.
  for (const one of now.toSorted((left, right) => Number(left.served) - Number(right.served))) {
    const before = known.get(one.key) ?? one;
    // A hold may become final.
    const first = isFinal(before) || !isFinal(one) ? before : one;
    known.delete(one.key);
    known.set(one.key, { ...first, served: one.served });
  }
  return [...known.values()].slice(-MAX_REMEMBERED);
}

function distinct(certificates: readonly ExpiringCertificate[]): ExpiringCertificate[] {
  return [...new Map(certificates.toReversed().map((one) => [one.fingerprint, one])).values()].toReversed();
}

function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (left, right) => FINDING_SEVERITIES.indexOf(left.severity) - FINDING_SEVERITIES.indexOf(right.severity),
  );
}

const UNREADABLE: Failure = {
  stage: 'handshake',
  reason: 'no_certificate',
  detail: { kind: 'unreadable_certificate' },
};

/** Returns one row per address, in the order of the DNS answer. */
function addressVerdicts(observation: Observation, answers: readonly JudgedAddress[]): AddressVerdict[] {
  return observation.addresses.map((seen): AddressVerdict => {
    const { address, family, durationMs, server } = seen;
    const at = server === undefined ? { address, family } : { address, family, server };
    if (seen.outcome === 'failed') {
      const { stage, reason, refusal } = seen;
      const isAnswered = refusal !== undefined && (refusal.code ?? refusal.text) !== null;
      const reply = isAnswered && { reply: { code: refusal.code, text: refusal.text } };
      const nothing = { fingerprint: null, notAfter: null, tlsVersion: null, group: null, alpn: null };
      return { ...at, ...nothing, durationMs, failure: { stage, reason, ...reply } };
    }
    const leaf = answers.find((answer) => answer.seen === seen)?.judged.leaf ?? null;
    return {
      ...at,
      fingerprint: leaf?.fingerprint ?? null,
      notAfter: leaf?.notAfter ?? null,
      tlsVersion: seen.tlsVersion,
      group: seen.group,
      alpn: seen.alpn,
      durationMs,
      failure: null,
    };
  });
}

function isTrusted(findings: readonly Finding[]): boolean {
  return findings.every(
    ({ severity, code, keyType }) => severity !== 'critical' && (code !== 'unverifiable' || keyType !== null),
  );
}

/** Returns what the verdict says about the valid path of the leaf. */
function pathOf(
  chain: Pick<ChainJudgement, 'path' | 'sent'>,
  observation: Observation,
  { anchors }: TrustStore,
): Pick<Verdict, 'path' | 'chainToServe' | 'hasOwnRoot'> {
  const path = pathEntries(chain, observation);
  const anchor = chain.path?.at(-1)?.fingerprint;
  return {
    path,
    chainToServe:
      chain.path && path.flatMap(({ fingerprint, role }) => (role === 'anchor' ? [] : fingerprint)),
    hasOwnRoot: anchors.some(({ certificate, isPublic }) => !isPublic && certificate.fingerprint === anchor),
  };
}

/** Returns the certificates of the valid path for display; empty if there is none. */
function pathEntries(
  { path, sent }: Pick<ChainJudgement, 'path' | 'sent'>,
  { authorities }: Observation,
): PathEntry[] {
  if (path === null) return [];
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const found = new Map(
    authorities.flatMap(({ der, source }) => {
      const certificate = tryParseCertificate(der);
      return certificate === null ? [] : [[certificate.fingerprint, source] as const];
    }),
  );
  return path.map((certificate, index): PathEntry => {
    const { fingerprint, notAfter } = certificate;
    const role = index === 0 ? 'leaf' : index === path.length - 1 ? 'anchor' : 'intermediate';
    const isSent = role === 'leaf' || known.has(fingerprint);
    const elsewhere = role === 'anchor' ? 'trust_store' : (found.get(fingerprint) ?? 'cache');
    return {
      fingerprint,
      name: certificateName(certificate),
      role,
      notAfter,
      source: isSent && role !== 'anchor' ? 'sent' : elsewhere,
    };
  });
}

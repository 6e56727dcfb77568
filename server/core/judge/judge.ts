import { parseReadable, type TrustStore, WorkBudget } from '../../pki/index.ts';
import { addressFindings, isReplacedBy, type Shown } from './address-findings.ts';
import { type Answer, ChainJudge } from './answers.ts';
import { recall, unreachedVerdict, withKnownWindows, withPendingAnswer } from './carry.ts';
import { displayName } from '../endpoint.ts';
import { earliest, expiringCertificate } from './expiring.ts';
import { FindingMaker } from './finding-maker.ts';
import type { Observation } from '../observation.ts';
import { judgePosture } from './posture.ts';
import { mostTellingFailure } from '../reach-failure.ts';
import { renewalVerdict, renewalWindow } from './renewal.ts';
import { takingTurns, turnsFinding, withTurn } from './turns.ts';
import type {
  AddressVerdict,
  ExpiringCertificate,
  Finding,
  PathEntry,
  RevokedCertificate,
  Severity,
  Verdict,
} from '../verdict.ts';
import { certificateName } from '../facts.ts';
import type { ChainJudgement } from './chain-findings.ts';

const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'note'];

/**
 * Concludes from an observation what holds at `now`, over all addresses and with every finding. It can be repeated at any
 * later time with the same evidence, another `now` or other anchors. `previous` is what the check before concluded: what that
 * one knew and this one could not see stays, and a certificate that was revoked once stays revoked. Once `work` is spent, which
 * counts operations and not time, what is left is not verified, and the verdict says so.
 */
export function judge(
  seen: Observation,
  now: number,
  trustStore: TrustStore,
  previous: Verdict | null = null,
  work: WorkBudget = new WorkBudget(),
): Verdict {
  const observation = { ...seen, renewal: withKnownWindows(seen.renewal, previous) };
  const host = displayName(observation.endpoint);
  const before = recall(previous);
  const chains = new ChainJudge(observation, now, trustStore, before.revoked, work);
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
  const shown = read.find((one) => one.leaf === leaf);
  if (leaf === null || shown === undefined) {
    const failure = mostTellingFailure(observation, host) ?? unreadable(host);
    const maker = new FindingMaker(observation, null);
    return {
      ...unreachedVerdict(previous),
      ...base,
      failure,
      findings: worstFirst(ofAnswers(answers, maker)),
    };
  }

  const { renewal: renewals } = observation;
  const weakest = earliest(read.map((one) => one.weakest ?? one.leaf)) ?? leaf;
  const limiting = expiringCertificate(
    weakest,
    read.some((one) => one.leaf === weakest) ? 'leaf' : 'intermediate',
    renewals,
  );
  const chainToServe = shown.path === null ? null : pathEntries(shown, observation).filter(isServed);
  const anchor = shown.path?.at(-1)?.fingerprint;
  const hasOwnRoot = trustStore.anchors.some(
    ({ certificate, isPublic }) => !isPublic && certificate.fingerprint === anchor,
  );
  const served = chainToServe === null ? null : leaf.fingerprint;
  const maker = new FindingMaker(observation, served, hasOwnRoot);

  const current = expiringCertificate(leaf, 'leaf', renewals);
  const turns = withTurn(before.turns, current, observation.observedAt);
  const others = takingTurns(turns);
  const leaves = new Set(read.map((one) => one.leaf.fingerprint));
  const posture = lookedAt(observation, leaves, chains, maker) ?? previous?.posture ?? null;
  const sideBySide = addressFindings(observation, answers);
  const replaced = new Set<string | null>(
    read
      .filter((one) => read.some((other) => isReplacedBy(one.leaf, other.leaf)))
      .map((one) => one.leaf.fingerprint),
  );
  const findings = worstFirst([
    ...ofAnswers(answers, maker).filter(
      // Its renewal stands at other addresses: that these still show the old one is all there is to say.
      ({ code, fingerprint }) => code !== 'renewal_overdue' || !replaced.has(fingerprint),
    ),
    ...sideBySide.map(({ finding, addresses }) => maker.make(finding, addresses, null)),
    ...inTurn(sideBySide, turnsFinding(current, others, now), maker),
    ...(posture?.findings ?? []),
  ]);
  return {
    ...base,
    reached: true,
    failure: null,
    leafFingerprint: leaf.fingerprint,
    limiting,
    findings,
    trusted: findings.every(({ severity }) => severity !== 'critical'),
    path: pathEntries(shown, observation),
    chainToServe: chainToServe?.map(({ fingerprint }) => fingerprint) ?? null,
    revocation: withPendingAnswer(shown.revocation, leaf.fingerprint, previous, now),
    renewal: renewalVerdict(leaf, renewalWindow(leaf, renewals), replaced.has(leaf.fingerprint)),
    posture,
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
        before.revoked,
        answers.flatMap(({ judged }) => judged.revoked),
      ),
      turns,
    },
  };
}

function lookedAt(
  observation: Observation,
  leaves: ReadonlySet<string>,
  chains: ChainJudge,
  maker: FindingMaker,
): Verdict['posture'] {
  const judged = judgePosture(observation, leaves, chains);
  if (judged === null) return null;
  const { shown, ...posture } = judged;
  return {
    ...posture,
    findings: shown.map(({ finding, address, keyType }) => maker.make(finding, [address], null, keyType)),
  };
}

/** The same finding at several addresses is one finding. */
function ofAnswers(answers: readonly Answer[], maker: FindingMaker): Finding[] {
  const findings = new Map<string, Shown & { leaf: string | null }>();
  for (const { seen, judged, findings: ofAnswer } of answers) {
    for (const finding of ofAnswer) {
      const key = `${finding.code} ${finding.fingerprint} ${finding.message}`;
      const same = findings.get(key);
      const leaf = judged.leaf?.fingerprint ?? null;
      if (same === undefined) findings.set(key, { finding, addresses: [seen.address], leaf });
      else same.addresses.push(seen.address);
    }
  }
  return [...findings.values()].map(({ finding, addresses, leaf }) => maker.make(finding, addresses, leaf));
}

/** Addresses that differ say it already. */
function inTurn(
  sideBySide: readonly Shown[],
  finding: Shown['finding'] | null,
  maker: FindingMaker,
): Finding[] {
  const isSaid = sideBySide.some((one) => one.finding.code === 'certificates_differ');
  return finding === null || isSaid ? [] : [maker.make(finding, [], null)];
}

const MOST_REMEMBERED = 20;

/** One for each issuer and serial number, those of now last; the first to be learned of it stands. */
function stillRevoked(
  before: readonly RevokedCertificate[],
  now: readonly RevokedCertificate[],
): RevokedCertificate[] {
  const known = new Map(before.map((one) => [one.key, { ...one, served: false }]));
  // The same one may be needed at one address and not at another.
  for (const one of now.toSorted((left, right) => Number(left.served) - Number(right.served))) {
    const first = known.get(one.key) ?? one;
    known.delete(one.key);
    known.set(one.key, { ...first, served: one.served });
  }
  return [...known.values()].slice(-MOST_REMEMBERED);
}

function distinct(certificates: readonly ExpiringCertificate[]): ExpiringCertificate[] {
  return [...new Map(certificates.toReversed().map((one) => [one.fingerprint, one])).values()].toReversed();
}

function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity),
  );
}

function isServed({ role }: { role: 'leaf' | 'intermediate' | 'anchor' }): boolean {
  return role !== 'anchor';
}

function unreadable(host: string): NonNullable<Verdict['failure']> {
  const message = `${host} shows a certificate that cannot be read.`;
  return { stage: 'handshake', reason: 'no_certificate', message };
}

/** Returns one row per address, in the order of the DNS answer. */
function addressVerdicts(observation: Observation, answers: readonly Answer[]): AddressVerdict[] {
  return observation.addresses.map((seen): AddressVerdict => {
    const { address, family, durationMs } = seen;
    if (seen.outcome === 'failed') {
      const { stage, reason } = seen;
      const nothing = { fingerprint: null, notAfter: null, tlsVersion: null, group: null };
      return { address, family, ...nothing, durationMs, failure: { stage, reason } };
    }
    const leaf = answers.find((answer) => answer.seen === seen)?.judged.leaf ?? null;
    return {
      address,
      family,
      fingerprint: leaf?.fingerprint ?? null,
      notAfter: leaf?.notAfter ?? null,
      tlsVersion: seen.tlsVersion,
      group: seen.group,
      durationMs,
      failure: null,
    };
  });
}

/** Lists the certificates of the valid path for display. Empty if there is none. */
function pathEntries(
  { path, sent }: Pick<ChainJudgement, 'path' | 'sent'>,
  { authorities }: Observation,
): PathEntry[] {
  if (path === null) return [];
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const found = new Map(
    authorities.flatMap(({ der, source }) => {
      const certificate = parseReadable(der);
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

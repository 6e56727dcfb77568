import { isHelloFinding } from './clients/hello-rules.ts';
import { freshUntil } from './revocation.ts';
import { WEEK_MS } from '../../../contract/durations.ts';
import type { PosturePart, RegistrationObservation, RenewalEvidence } from '../observation.ts';
import type {
  LastSeen,
  PostureVerdict,
  RegistrationVerdict,
  RevocationVerdict,
  Verdict,
} from '../verdict.ts';

/**
 * Returns the revoked certificates and the recent leaves that a check takes over from the previous verdict; empty without
 * one.
 */
export function rememberedFrom(previous: Verdict | null): Pick<LastSeen, 'revoked' | 'turns'> {
  const { revoked, turns }: Partial<LastSeen> = previous?.lastSeen ?? {};
  return { revoked: revoked ?? [], turns: turns ?? [] };
}

const REVOCATION_UNKNOWN: RevocationVerdict = {
  state: 'unknown',
  source: null,
  at: null,
  reason: null,
  revokedAt: null,
  sources: [],
};

/**
 * Returns most fields of the verdict of a check that read no certificate. Revocation, renewal, posture and `lastSeen` are
 * those of the previous verdict, so that alerts still have the last known data and a revoked certificate stays revoked.
 */
export function unreachedVerdict(previous: Verdict | null) {
  return {
    reached: false,
    trusted: false,
    leafFingerprint: null,
    limiting: null,
    path: [],
    chainToServe: null,
    hasOwnRoot: false,
    revocation: previous?.revocation ?? REVOCATION_UNKNOWN,
    renewal: previous?.renewal ?? null,
    posture: previous?.posture ?? null,
    lastSeen: previous?.lastSeen ?? null,
  } satisfies Partial<Verdict>;
}

/** Returns when a part of the posture was tested (ms UTC); null if it was never tested completely. */
export function postureTestedAt({ at, earlier }: PostureVerdict, part: PosturePart): number | null {
  const carried = earlier?.find((one) => one.part === part);
  return carried === undefined ? at : carried.at;
}

/**
 * Returns the posture, completed with the previous results of the postponed parts and their times. `usual`: fingerprints of the leaves that the
 * usual handshakes show, so that they are not listed as further certificates.
 */
export function withEarlierPosture(
  current: PostureVerdict,
  postponed: readonly PosturePart[],
  { previous, usual }: { previous: PostureVerdict | null; usual: ReadonlySet<string> },
): PostureVerdict {
  if (postponed.length === 0) return current;
  const earlier = postponed.map((part) => ({ part, at: previous && postureTestedAt(previous, part) }));
  if (previous === null) return { ...current, earlier };
  const isPostponed = (part: PosturePart): boolean => postponed.includes(part);
  const alternates = isPostponed('certificates') ? stillServed(current, previous, usual) : [];
  const isKept = ({ certificate }: PostureVerdict['alternates'][number]): boolean =>
    alternates.some((one) => one.certificate.fingerprint === certificate.fingerprint);
  const replaced = new Set<string | null>(current.alternates.filter(isKept).map(({ keyType }) => keyType));
  const findings = previous.findings.filter(
    (finding) =>
      alternates.some(({ keyType }) => keyType === finding.keyType) ||
      (isPostponed('client_hellos') && isHelloFinding(finding)),
  );
  const offeredBefore = new Map(previous.tlsVersions.map(({ version, offered }) => [version, offered]));
  return {
    ...current,
    earlier,
    tlsVersions: isPostponed('tls_versions')
      ? current.tlsVersions.map(({ version, offered }) => ({
          version,
          offered: offered ?? offeredBefore.get(version) ?? null,
        }))
      : current.tlsVersions,
    postQuantum: isPostponed('key_exchange') ? previous.postQuantum : current.postQuantum,
    alternates: [...current.alternates.filter((one) => !isKept(one)), ...alternates],
    ...(isPostponed('certificates') && previous.usual && { usual: previous.usual }),
    untestedKeyTypes: isPostponed('certificates')
      ? current.untestedKeyTypes.filter((keyType) => previous.untestedKeyTypes.includes(keyType))
      : current.untestedKeyTypes,
    findings: [...current.findings.filter(({ keyType }) => !replaced.has(keyType)), ...findings],
  };
}

/**
 * Returns the previous alternate chains that a posture check without the test of certificates says nothing new about: those that it did not
 * look for, which include all with the key type of the usual leaf, and those that it saw without testing which clients get them.
 */
function stillServed(
  current: PostureVerdict,
  previous: PostureVerdict,
  usual: ReadonlySet<string>,
): PostureVerdict['alternates'] {
  const seen = new Set(current.alternates.map(({ certificate }) => certificate.fingerprint));
  return previous.alternates.filter(({ keyType, certificate: { fingerprint }, clients }) => {
    if (usual.has(fingerprint)) return false;
    const isUntested = current.untestedKeyTypes.includes(keyType) || keyType === previous.usual?.keyType;
    return isUntested || (clients !== undefined && seen.has(fingerprint));
  });
}

/** How long registries may answer with the old end after a renewal, because some of their servers lag behind. */
const REGISTRY_LAG_MS = WEEK_MS;

/**
 * Returns the end of the registration. Keeps the known one if the registry gave no answer. Also keeps it for a week if it is later
 * than the registry's answer, so that a renewal does not seem undone.
 */
export function followRegistration(
  previous: Verdict | null,
  current: RegistrationObservation,
  at: number,
): RegistrationVerdict {
  const known = previous?.posture?.registration;
  if (known?.outcome === 'expires') {
    const isOlder =
      current.outcome === 'expires' && current.domain === known.domain && current.expiresAt < known.expiresAt;
    if (current.outcome === 'unavailable' || (isOlder && at - (known.seenAt ?? 0) < REGISTRY_LAG_MS))
      return known;
  }
  return current.outcome === 'expires' ? { ...current, seenAt: at } : current;
}

/**
 * Returns the revocation of the leaf. If it is unknown while an answer is pending, uses a good answer about the same leaf
 * from the previous verdict until that expires.
 */
export function withPendingAnswer(
  revocation: RevocationVerdict | null,
  leafFingerprint: string,
  previous: Verdict | null,
  now: number,
): RevocationVerdict {
  if (revocation === null) return REVOCATION_UNKNOWN;
  const known = previous?.lastSeen?.leafFingerprint === leafFingerprint ? previous.revocation : null;
  const isPending = revocation.sources.some(({ why }) => why === 'pending');
  if (revocation.state !== 'unknown' || !isPending || known?.state !== 'good') return revocation;
  const answer = known.sources.find(({ state, source }) => state === 'good' && source === known.source);
  const isFresh =
    answer !== undefined && freshUntil({ ...answer, thisUpdate: answer.thisUpdate ?? answer.at }) >= now;
  return isFresh ? { ...known, sources: [...revocation.sources, answer] } : revocation;
}

/** Returns the renewal evidence. Adds the previous window of each certificate whose CA gave no answer this time. */
export function withKnownWindows(
  renewal: readonly RenewalEvidence[],
  previous: Verdict | null,
): RenewalEvidence[] {
  const answered = new Set(
    renewal.filter(({ outcome }) => outcome !== 'unavailable').map(({ fingerprint }) => fingerprint),
  );
  const { at, leafFingerprint, expiring = [] }: Partial<LastSeen> = previous?.lastSeen ?? {};
  const known = expiring.flatMap(({ fingerprint, renewalWindow }): RenewalEvidence[] => {
    if (!renewalWindow || answered.has(fingerprint)) return [];
    const explanationUrl =
      fingerprint === leafFingerprint ? (previous?.renewal?.explanationUrl ?? null) : null;
    return [{ fingerprint, at: at ?? 0, outcome: 'window', ...renewalWindow, explanationUrl }];
  });
  return [...known, ...renewal];
}

/** Returns whether an answer that the verdict depends on is still pending, so that the next check may know more. */
export function isAwaiting({ reached, path, findings, revocation }: Verdict): boolean {
  const isPathPending = findings.some(
    ({ code, severity }) => code === 'incomplete_chain' && severity === 'warning',
  );
  return (
    (reached && path.length === 0 && isPathPending) || revocation.sources.some(({ why }) => why === 'pending')
  );
}

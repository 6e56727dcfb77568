import type { Finding } from '../../../server/core/finding.ts';
import type { ExpiringCertificate, LastSeen, Verdict } from '../../../server/core/verdict.ts';
import { recordServed, rotatingCertificates } from '../../../server/core/judge/rotation.ts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const LIFETIMES = [6 * DAY, 90 * DAY, 398 * DAY];

export interface SimulatedCertificate extends Readonly<ExpiringCertificate> {
  /** The certificate as verdicts describe it. */
  seen: ExpiringCertificate;
  isRevoked: boolean;
  isReplacementWanted: boolean;
}

/** A simulated host whose state changes. It makes the verdict of a check directly, which is fast, because no certificate is minted. */
export class SimulatedHost {
  readonly certificates: SimulatedCertificate[] = [];
  served: SimulatedCertificate;
  /** Another certificate that the host serves: of a second server behind the same address, or at a second address. Null for none. */
  other: SimulatedCertificate | null = null;
  answersIn: 'one' | 'turns' | 'both' = 'one';
  isWrongName = false;
  chain: 'whole' | 'some clients' | 'broken' = 'whole';
  isReached = true;
  isUp = true;
  #turn = 0;

  constructor(now: number, draw: number) {
    this.served = this.issue(now, draw);
  }

  issue(now: number, draw: number): SimulatedCertificate {
    const lifetime = LIFETIMES[draw % LIFETIMES.length] ?? DAY;
    // Some certificates are new, others close to their end or past it.
    const notBefore = now - Math.floor((lifetime * [0, 0.1, 0.7, 0.85, 0.97, 1.01][(draw >> 3) % 6]!) / 1);
    const seen: ExpiringCertificate = {
      fingerprint: `c${this.certificates.length}`,
      notBefore,
      notAfter: notBefore + lifetime,
      role: 'leaf',
      name: 'a.example',
      renewalWindow: null,
    };
    const certificate = { ...seen, seen, isRevoked: false, isReplacementWanted: false };
    this.certificates.push(certificate);
    return certificate;
  }

  /** Sets the CA's renewal window (ARI) for the served certificate. */
  setRenewalWindow(renewalWindow: ExpiringCertificate['renewalWindow']): void {
    this.served.seen = { ...this.served.seen, renewalWindow };
  }

  check(now: number, previous: Verdict | null): Verdict {
    const before = previous?.lastSeen ?? null;
    const base = { judgedAt: now, observedAt: now, posture: null };
    if (!this.isReached)
      return partial({
        ...base,
        reached: false,
        addresses: [],
        leafFingerprint: null,
        findings: [],
        path: [],
        lastSeen: before,
      });
    const shown = this.#shown();
    const leaf = shown.reduce((first, one) => (one.notAfter < first.notAfter ? one : first));
    const turns = recordServed(before?.turns ?? [], leaf.seen, now);
    const expiring = [...shown.map(({ seen }) => seen), ...rotatingCertificates(turns)];
    const findings = this.#findings(shown, leaf, now);
    const lastSeen: LastSeen = {
      at: now,
      leafFingerprint: leaf.fingerprint,
      expiring: [...new Map(expiring.toReversed().map((one) => [one.fingerprint, one])).values()],
      findings: findings.map(({ code, fingerprint }) => ({ code, fingerprint })),
      revoked: this.certificates
        .filter((one) => one.isRevoked)
        .map((one) => ({
          ...one.seen,
          key: one.fingerprint,
          source: 'crl',
          at: now,
          revokedAt: null,
          reason: null,
          served: shown.includes(one),
        })),
      turns,
    };
    return partial({
      ...base,
      reached: true,
      findings,
      lastSeen,
      leafFingerprint: leaf.fingerprint,
      addresses: shown.map(({ fingerprint }) => ({ fingerprint })),
      path: [{ fingerprint: leaf.fingerprint }],
    });
  }

  #shown(): SimulatedCertificate[] {
    const { served, other } = this;
    if (other === null || this.answersIn === 'one') return [served];
    if (this.answersIn === 'both') return [served, other];
    return [this.#turn++ % 2 === 0 ? other : served];
  }

  #findings(shown: readonly SimulatedCertificate[], leaf: SimulatedCertificate, now: number): Finding[] {
    return [
      ...(this.isWrongName ? [finding('name_mismatch', 'critical', leaf)] : []),
      ...(this.chain === 'broken' ? [finding('untrusted_root', 'critical', leaf)] : []),
      ...(this.chain === 'some clients' ? [finding('incomplete_chain', 'warning', leaf)] : []),
      ...shown.flatMap((one) => [
        ...(one.isRevoked ? [finding('revoked', 'critical', one)] : []),
        ...(one.notAfter <= now ? [finding('expired', 'critical', one)] : []),
        ...(one.isReplacementWanted && now < one.notAfter
          ? [finding('replacement_wanted', 'warning', one)]
          : []),
      ]),
    ];
  }
}

function finding(
  code: Finding['code'],
  severity: Finding['severity'],
  { fingerprint }: SimulatedCertificate,
): Finding {
  return {
    code,
    severity,
    fingerprint,
    facts:
      code === 'incomplete_chain'
        ? { kind: 'missing_intermediates', missing: [], evidence: { sent: [] } }
        : { kind: 'no_path' },
    addresses: [],
    keyType: null,
    attachment: null,
  };
}

/** Returns a verdict with only these parts: alerts depend on no others. */
function partial(verdict: Record<string, unknown>): Verdict {
  return verdict as unknown as Verdict;
}

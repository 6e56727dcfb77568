import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import { parseIpAddress } from '../../pki/names/ip-address.ts';
import type { ReferenceIdentifier } from '../../pki/names/reference-identifier.ts';
import { stapledTimestamps } from '../../pki/revocation/ocsp-response.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { ChainFinding } from '../finding.ts';
import { type ChainJudgement, judgeChain } from './chain-findings.ts';
import { handshakeRefusals } from './clients/client-findings.ts';
import { keyTypeRule } from './clients/field-rules.ts';
import { truncatedChainFindings } from '../findings/sent-chain.ts';
import { renewalFindings, renewalWindow } from './renewal.ts';
import { concludeRevocation, rememberRevoked, revocationKey } from './revocation.ts';
import { revokedFinding, stapleFindings } from './revocation-findings.ts';
import type { AlternateChain, HandshakeObservation, Observation } from '../observation.ts';
import { effectiveTarget } from '../target.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';

/** The conclusions from one chain, independent of the addresses that serve it. */
export interface JudgedChain extends ChainJudgement {
  /** Revocation of the leaf; null if the leaf cannot be read. */
  revocation: RevocationVerdict | null;
  /** The revoked certificates of the chain. */
  revoked: RevokedCertificate[];
}

/** One address that completed a handshake, with the judgement of its chain. */
export interface JudgedAddress {
  seen: HandshakeObservation;
  judged: JudgedChain;
  findings: ChainFinding[];
}

/** Judges the chains of one observation. Memoized, because the addresses of a host mostly send equal chains. */
export class ChainJudge {
  readonly #observation: Observation;
  readonly #now: number;
  readonly #trustStore: TrustStore;
  readonly #known: readonly RevokedCertificate[];
  readonly #fetchedIntermediates: Certificate[];
  readonly #work: WorkBudget;
  readonly #judged = new Map<string, JudgedChain>();

  /** Takes the revoked certificates of earlier checks (`known`) and the budget for all chains together (`work`). */
  constructor(
    observation: Observation,
    now: number,
    trustStore: TrustStore,
    known: readonly RevokedCertificate[],
    work: WorkBudget,
  ) {
    this.#observation = observation;
    this.#now = now;
    this.#trustStore = trustStore;
    this.#known = known;
    this.#work = work;
    this.#fetchedIntermediates = observation.authorities.flatMap(({ der }) => tryParseCertificate(der) ?? []);
  }

  answers(): JudgedAddress[] {
    return this.#observation.addresses.flatMap((seen) => {
      if (seen.outcome !== 'handshake') return [];
      const judged = this.judge(seen.presentedChain);
      const ofHandshake = judged.leaf === null ? [] : this.#handshakeFindings(judged.leaf, judged, seen);
      return [
        { seen, judged, findings: [...judged.findings, ...ofHandshake, ...truncatedChainFindings(seen)] },
      ];
    });
  }

  #handshakeFindings(
    leaf: Certificate,
    { path, isPublic }: ChainJudgement,
    seen: Omit<HandshakeObservation, 'outcome' | 'family' | 'durationMs'>,
  ): ChainFinding[] {
    const { endpoint, revocation } = this.#observation;
    const { staple } = seen;
    const stapled = stapleFindings(leaf, staple !== null, revocation, endpoint.protocol);
    if (path === null) return stapled;
    const hasStapledTimestamp = staple !== null && stapledTimestamps(staple).length > 0;
    const refusals = handshakeRefusals(leaf, { ...seen, isPublic, hasStapledTimestamp }, endpoint.protocol);
    return [...stapled, ...refusals];
  }

  /**
   * Returns the findings about a leaf that the usual handshake does not show, and about its handshake. Ignores clients that do not accept its
   * key type, because they get another certificate.
   */
  alternateFindings(alternate: AlternateChain): ChainFinding[] {
    const judged = this.judge(alternate.presentedChain);
    const { leaf, findings } = judged;
    // The usual handshake already shows which groups and versions the server accepts. Do not report these twice.
    const seen = { ...alternate, group: null, legacyTls: false };
    const ofHandshake = leaf === null ? [] : this.#handshakeFindings(leaf, judged, seen);
    return [...findings, ...ofHandshake].filter(
      ({ facts }) => facts.kind !== 'refused_by_clients' || facts.rule !== keyTypeRule(alternate.keyType),
    );
  }

  judge(presentedChain: readonly Uint8Array[]): JudgedChain {
    const key = presentedChain.map((der) => Buffer.from(der).toString('base64')).join(' ');
    const judged = this.#judged.get(key) ?? this.#conclude(presentedChain);
    this.#judged.set(key, judged);
    return judged;
  }

  #conclude(presentedChain: readonly Uint8Array[]): JudgedChain {
    const chain = this.#withoutRevoked(presentedChain);
    const { leaf } = chain;
    if (leaf === null) return { ...chain, revocation: null, revoked: [] };
    const revocation = this.#revocation(leaf);
    const above = chain.path?.slice(1, -1) ?? chain.sent.filter(({ selfIssued }) => !selfIssued);
    const isNeeded = new Set(above.map(({ fingerprint }) => fingerprint));
    const unneeded = chain.sent.filter((one) => !one.selfIssued && !isNeeded.has(one.fingerprint));
    const revoked = [
      { certificate: leaf, status: revocation, role: 'leaf' as const },
      ...[...above, ...distinct(unneeded)].map((certificate) => ({
        certificate,
        status: this.#revocation(certificate),
        role: 'intermediate' as const,
      })),
    ].flatMap(({ certificate, status, role }) => {
      const served = role === 'leaf' || isNeeded.has(certificate.fingerprint);
      const known = rememberRevoked(certificate, role, status, served);
      return known === null ? [] : [{ certificate, known, status }];
    });
    const findings = [
      ...revoked.map(({ certificate, known, status }) => revokedFinding(certificate, known, status)),
      ...chain.findings,
      ...renewalFindings(leaf, renewalWindow(leaf, this.#observation.renewal), this.#now),
    ];
    return { ...chain, findings, revocation, revoked: revoked.map(({ known }) => known) };
  }

  /**
   * Judges the chain by a path without revoked CA certificates, as clients do if they know of the revocation. If there is no such path, uses one
   * with revoked certificates.
   */
  #withoutRevoked(presentedChain: readonly Uint8Array[]): ChainJudgement {
    const { endpoint } = this.#observation;
    const { verifyName } = effectiveTarget(endpoint);
    const input = {
      presentedChain,
      fetchedIntermediates: this.#fetchedIntermediates,
      isPending: this.#observation.authoritiesPending === true,
      reference: referenceOf(verifyName),
      ...(endpoint.target && { verifyName }),
      protocol: endpoint.protocol,
      trustStore: this.#trustStore,
      now: this.#now,
      work: this.#work,
    };
    const chain = judgeChain(input);
    const isBarred = (one: Certificate): boolean => this.#revocation(one).state === 'revoked';
    if (chain.path === null || !chain.path.slice(1, -1).some(isBarred)) return chain;
    const alternative = judgeChain({ ...input, isBarred });
    return alternative.path === null ? chain : alternative;
  }

  #revocation(certificate: Certificate): RevocationVerdict {
    const key = revocationKey(certificate);
    const before = this.#known.find((one) => one.key === key) ?? null;
    return concludeRevocation(certificate, this.#observation.revocation, before, this.#now);
  }
}

function distinct(certificates: readonly Certificate[]): Certificate[] {
  return [...new Map(certificates.map((one) => [one.fingerprint, one])).values()];
}

function referenceOf(host: string): ReferenceIdentifier {
  return parseIpAddress(host) === null ? { kind: 'dns', name: host } : { kind: 'ip', address: host };
}

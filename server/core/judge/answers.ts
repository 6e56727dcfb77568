import type { Certificate, Reference, TrustStore } from '../../pki/index.ts';
import { parseIpAddress, parseReadable } from '../../pki/index.ts';
import type { ChainFinding } from './chain-finding.ts';
import { type ChainJudgement, judgeChain } from './chain-findings.ts';
import { displayName } from '../endpoint.ts';
import { renewalFindings, renewalWindow } from './renewal.ts';
import { concludeRevocation, rememberRevoked, revocationKey } from './revocation.ts';
import { revokedFinding, stapleFindings } from './revocation-findings.ts';
import type { HandshakeObservation, Observation } from '../observation.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';

/** What is concluded from one chain, wherever it is served. */
export interface Judged extends ChainJudgement {
  /** Of the leaf; null where that cannot be read. */
  revocation: RevocationVerdict | null;
  /** Its certificates that were revoked. */
  revoked: RevokedCertificate[];
}

/** One address that shook hands, with what its chain comes to. */
export interface Answer {
  seen: HandshakeObservation;
  judged: Judged;
  findings: ChainFinding[];
}

/** Judges chains of one observation; each distinct one once, for the addresses of one host mostly show the same. */
export class ChainJudge {
  readonly #observation: Observation;
  readonly #now: number;
  readonly #trustStore: TrustStore;
  readonly #known: readonly RevokedCertificate[];
  readonly #authorities: Certificate[];
  readonly #judged = new Map<string, Judged>();

  /** `known`: what earlier checks learned to be revoked. */
  constructor(
    observation: Observation,
    now: number,
    trustStore: TrustStore,
    known: readonly RevokedCertificate[],
  ) {
    this.#observation = observation;
    this.#now = now;
    this.#trustStore = trustStore;
    this.#known = known;
    this.#authorities = observation.authorities.flatMap(({ der }) => parseReadable(der) ?? []);
  }

  answers(): Answer[] {
    return this.#observation.addresses.flatMap((seen) => {
      if (seen.outcome !== 'handshake') return [];
      const judged = this.judge(seen.presentedChain);
      const staple =
        judged.leaf === null
          ? []
          : stapleFindings(judged.leaf, seen.staple !== null, this.#observation.revocation);
      return [{ seen, judged, findings: [...judged.findings, ...staple] }];
    });
  }

  judge(presentedChain: readonly Uint8Array[]): Judged {
    const key = presentedChain.map((der) => Buffer.from(der).toString('base64')).join(' ');
    const judged = this.#judged.get(key) ?? this.#conclude(presentedChain);
    this.#judged.set(key, judged);
    return judged;
  }

  #conclude(presentedChain: readonly Uint8Array[]): Judged {
    const { endpoint, renewal } = this.#observation;
    const chain = judgeChain({
      presentedChain,
      authorities: this.#authorities,
      reference: referenceOf(endpoint.host),
      host: displayName(endpoint),
      trustStore: this.#trustStore,
      now: this.#now,
    });
    const { leaf } = chain;
    if (leaf === null) return { ...chain, revocation: null, revoked: [] };
    const revocation = this.#revocation(leaf);
    const above = chain.path?.slice(1, -1) ?? chain.sent.filter(({ selfIssued }) => !selfIssued);
    const revoked = [
      { certificate: leaf, known: rememberRevoked(leaf, 'leaf', revocation) },
      ...above.map((certificate) => ({
        certificate,
        known: rememberRevoked(certificate, 'intermediate', this.#revocation(certificate)),
      })),
    ].flatMap(({ certificate, known }) => (known === null ? [] : [{ certificate, known }]));
    const findings = [
      ...revoked.map(({ certificate, known }) => revokedFinding(certificate, known)),
      ...chain.findings,
      ...renewalFindings(leaf, renewalWindow(leaf, renewal), this.#now),
    ];
    return { ...chain, findings, revocation, revoked: revoked.map(({ known }) => known) };
  }

  #revocation(certificate: Certificate): RevocationVerdict {
    const key = revocationKey(certificate);
    const before = this.#known.find((one) => one.key === key) ?? null;
    return concludeRevocation(certificate, this.#observation.revocation, before, this.#now);
  }
}

function referenceOf(host: string): Reference {
  return parseIpAddress(host) === null ? { kind: 'dns', name: host } : { kind: 'ip', address: host };
}

import type {
  CaaObservation,
  FetchedAuthority,
  RegistrationObservation,
  RenewalEvidence,
  RevocationEvidence,
} from '../../core/index.ts';
import { type Certificate, type TrustStore, WorkBudget } from '../../pki/index.ts';

/*
 * What a probe queries besides the endpoint. All sources use the egress address policy, cache answers and never reject
 * on network errors. Aborting ends only the caller's wait, because other callers may share the request.
 */

/** Fetches certificates that a server did not send, from the AIA URLs of its chain (RFC 5280 §4.2.2.1). */
export interface AuthoritySource {
  /** `chain`: as sent, leaf first. Call it only for chains without a valid path. */
  complete(request: {
    chain: readonly Certificate[];
    trustStore: TrustStore;
    asker: Requester;
    now: number;
    signal: AbortSignal;
  }): Promise<FoundAuthorities>;
}

export interface FoundAuthorities {
  authorities: FetchedAuthority[];
  /** There is still no valid path, and the fetch from a URL that may help has not finished. */
  isPending: boolean;
}

/** Asks whether certificates of a valid path are revoked. */
export interface RevocationSource {
  /** `path`: leaf first, anchor last; `isPublic`: in a public root program. Returns one entry per source queried. */
  evidence(request: {
    path: readonly Certificate[];
    isPublic: boolean;
    asker: Requester;
    staple: Uint8Array | null;
    /** Asks both CRL and OCSP for each certificate. Otherwise OCSP is only the fallback. */
    isThorough: boolean;
    now: number;
    signal: AbortSignal;
  }): Promise<RevocationEvidence[]>;
}

/** Asks a CA for a certificate's renewal window (RFC 9773). Returns null if the CA is not known to publish any. */
export interface RenewalSource {
  renewal(request: { leaf: Certificate; now: number; signal: AbortSignal }): Promise<RenewalEvidence | null>;
}

/** Looks up a name's CAA records in DNS and its registration at the registry. */
export interface DomainSource {
  caa(request: { host: string; signal: AbortSignal }): Promise<CaaObservation>;
  registration(request: { host: string; now: number; signal: AbortSignal }): Promise<RegistrationObservation>;
}

export interface Sources {
  authorities: AuthoritySource;
  revocation: RevocationSource;
  renewal: RenewalSource;
  domains: DomainSource;
}

/** Most requests of one check for certificates that no public CA vouches for. */
const MAX_REQUESTS = 12;

/**
 * The check on whose behalf sources are queried. Anybody can put any URL into a certificate, so we charge the requests
 * to the host that sent it, unless a public CA vouches for the certificate.
 */
export class Requester {
  readonly host: string;
  /** Work budget for its certificates and for the CAs' answers about them. */
  readonly work: WorkBudget;
  #left = MAX_REQUESTS;

  constructor(host: string, work = new WorkBudget()) {
    this.host = host;
    this.work = work;
  }

  /** Takes one of the remaining requests. Returns false if none is left. */
  mayAsk(): boolean {
    return this.#left-- > 0;
  }
}

/** Sources that send no requests. */
export const NO_SOURCES: Sources = {
  authorities: { complete: () => Promise.resolve({ authorities: [], isPending: false }) },
  revocation: { evidence: () => Promise.resolve([]) },
  renewal: { renewal: () => Promise.resolve(null) },
  domains: {
    caa: () => Promise.resolve({ outcome: 'unavailable' }),
    registration: ({ host }) => Promise.resolve({ outcome: 'unavailable', domain: host }),
  },
};

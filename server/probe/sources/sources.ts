import type {
  CaaObservation,
  FoundIntermediate,
  RegistrationObservation,
  RenewalEvidence,
  RevocationEvidence,
} from '../../core/observation.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';

/*
 * Sources that a probe queries besides the endpoint. All use the egress address policy, cache their answers (except CAA)
 * and never reject on network errors. Aborting ends only the caller's wait, because other callers may share the request.
 */

/** Source of certificates that a server did not send, fetched from the AIA URLs of its chain (RFC 5280 §4.2.2.1). */
export interface IntermediateSource {
  /**
   * Fetches the missing certificates of a chain. Call it only for chains without a valid path.
   * `chain`: as sent, leaf first.
   */
  complete(request: {
    chain: readonly Certificate[];
    trustStore: TrustStore;
    requester: Requester;
    now: number;
    signal: AbortSignal;
  }): Promise<FoundIntermediates>;
}

export interface FoundIntermediates {
  intermediates: FoundIntermediate[];
  /** True if there is still no valid path, and the fetch from a URL that may help has not finished. */
  isPending: boolean;
}

/** Source of the revocation status of certificates in a valid path. */
export interface RevocationSource {
  /**
   * Returns one entry for the staple and for each CRL and OCSP responder queried. `path`: leaf first, anchor last.
   * `sent`: all certificates that the server sent. `isPublic`: true if the anchor is in a public root program.
   */
  evidence(request: {
    path: readonly Certificate[];
    sent: readonly Certificate[];
    isPublic: boolean;
    requester: Requester;
    staple: Uint8Array | null;
    /** True to query both CRL and OCSP. If false, OCSP is queried only if no CRL gives an answer within 2 s. */
    isThorough: boolean;
    now: number;
    signal: AbortSignal;
  }): Promise<RevocationEvidence[]>;
}

/** Source of the renewal windows of certificates (RFC 9773). */
export interface RenewalSource {
  /** Requests the window from the CA. Returns null if the CA is not known to publish any, or the leaf has no ARI id. */
  renewal(request: { leaf: Certificate; now: number; signal: AbortSignal }): Promise<RenewalEvidence | null>;
}

/** Source of a name's CAA records in DNS and of its registration at the registry. */
export interface DomainSource {
  caa(request: { host: string; signal: AbortSignal }): Promise<CaaObservation>;
  registration(request: { host: string; now: number; signal: AbortSignal }): Promise<RegistrationObservation>;
}

export interface Sources {
  intermediates: IntermediateSource;
  revocation: RevocationSource;
  renewal: RenewalSource;
  domains: DomainSource;
}

/** Maximum number of requests of one check for certificates that no public CA vouches for. */
const MAX_REQUESTS = 12;

/**
 * Check on whose behalf sources are queried. Anybody can put any URL into a certificate, so we charge the requests to
 * the host that sent it, unless a public CA vouches for the certificate.
 */
export class Requester {
  readonly host: string;
  /** Work budget for the certificates of the check and for the CAs' answers about them. */
  readonly work: WorkBudget;
  #left = MAX_REQUESTS;

  constructor(host: string, work = new WorkBudget()) {
    this.host = host;
    this.work = work;
  }

  /** Takes one of the remaining requests. Returns false if none is left. */
  takeRequest(): boolean {
    return this.#left-- > 0;
  }
}

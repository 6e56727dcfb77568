import type {
  CaaObservation,
  FetchedAuthority,
  RegistrationObservation,
  RenewalEvidence,
  RevocationEvidence,
} from '../../core/index.ts';
import type { Certificate, TrustStore } from '../../pki/index.ts';

/*
 * Whom a probe asks beside the endpoint itself. Every source goes through the guarded way out, remembers what it learned,
 * and never rejects for what the network does; an aborted signal ends the wait, not the work that others wait for too.
 */

/** Finds certificates that a server forgot to send, by the AIA addresses of its chain (RFC 5280 §4.2.2.1). */
export interface AuthoritySource {
  /** `chain`: as sent, leaf first. Only for chains that do not hold by themselves. */
  complete(request: {
    chain: readonly Certificate[];
    trustStore: TrustStore;
    now: number;
    signal: AbortSignal;
  }): Promise<FetchedAuthority[]>;
}

/** Asks whether the certificates of a path that holds were revoked. */
export interface RevocationSource {
  /** `path`: leaf first, anchor last. One entry per source that was asked. */
  evidence(request: {
    path: readonly Certificate[];
    staple: Uint8Array | null;
    now: number;
    signal: AbortSignal;
  }): Promise<RevocationEvidence[]>;
}

/** Asks a CA when it wants a certificate to be renewed (RFC 9773); null where the CA is not known to tell. */
export interface RenewalSource {
  renewal(request: { leaf: Certificate; now: number; signal: AbortSignal }): Promise<RenewalEvidence | null>;
}

/** What DNS and the registry say of a name. */
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

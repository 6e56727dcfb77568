import type {
  CaaObservation,
  FetchedAuthority,
  RegistrationObservation,
  RenewalEvidence,
  RevocationEvidence,
} from '../../core/index.ts';
import { type Certificate, type TrustStore, WorkBudget } from '../../pki/index.ts';

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
    asker: Asker;
    now: number;
    signal: AbortSignal;
  }): Promise<FoundAuthorities>;
}

export interface FoundAuthorities {
  authorities: FetchedAuthority[];
  /** No path holds with them, and an address that may give more was not asked to the end yet. */
  isPending: boolean;
}

/** Asks whether the certificates of a path that holds were revoked. */
export interface RevocationSource {
  /** `path`: leaf first, anchor last; `isPublic`: of a public root program. One entry per source that was asked. */
  evidence(request: {
    path: readonly Certificate[];
    isPublic: boolean;
    asker: Asker;
    staple: Uint8Array | null;
    /** Asks both CRL and OCSP for each certificate. Otherwise OCSP is only the fallback. */
    isThorough: boolean;
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

/** Questions of one check for certificates that no public authority vouches for. */
const MOST_QUESTIONS = 12;

/**
 * On whose behalf CAs are asked: one check of this host. What its certificates say may be made up by anybody, so what it makes us
 * ask is charged to it, unless a public authority stands behind it.
 */
export class Asker {
  readonly host: string;
  /** What its certificates, and what CAs say of them, may cost. */
  readonly work: WorkBudget;
  #left = MOST_QUESTIONS;

  constructor(host: string, work = new WorkBudget()) {
    this.host = host;
    this.work = work;
  }

  /** Takes one of the questions that are left. */
  mayAsk(): boolean {
    return this.#left-- > 0;
  }
}

/** Asks nobody. */
export const NO_SOURCES: Sources = {
  authorities: { complete: () => Promise.resolve({ authorities: [], isPending: false }) },
  revocation: { evidence: () => Promise.resolve([]) },
  renewal: { renewal: () => Promise.resolve(null) },
  domains: {
    caa: () => Promise.resolve({ outcome: 'unavailable' }),
    registration: ({ host }) => Promise.resolve({ outcome: 'unavailable', domain: host }),
  },
};

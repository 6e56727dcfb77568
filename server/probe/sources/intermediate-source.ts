import type { FoundIntermediate } from '../../core/observation.ts';
import { parseCertificateBundle } from '../../pki/certificate-bundle.ts';
import { checkIssuer, isSignedBy, validityFailure } from '../../pki/certificate-checks.ts';
import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { buildPath } from '../../pki/path.ts';
import { PkiError } from '../../pki/pki-error.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import { createCachedFetch, type FetchContext } from './cached-fetch.ts';
import type { IntermediateSource } from './sources.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MAX_BYTES = 64 * 1024;
const DEADLINE_MS = 10_000;
const MAX_CONCURRENT = 32;
/** Maximum number of issuer levels above the leaf to fetch. */
const MAX_DEPTH = 3;
const MAX_FETCHES = 6;
const MAX_URLS = 2;
const FRESH_MS = DAY_MS;
const MEMORY_BYTES = 4 * 1024 * 1024;
/** Maximum total size of the cached intermediates in bytes. */
const CACHE_BYTES = 4 * 1024 * 1024;
/** Maximum number of cached intermediates with the same subject name (cross-signed and renewed ones). */
const MAX_PER_SUBJECT = 8;
/** Work units to test whether one certificate issued another, in addition to verifying the signature. */
const PAIR_WORK = 5;

interface KnownIntermediate {
  certificate: Certificate;
  /** URL from which the certificate was fetched; null if a server sent it, or if no certificate of the chain names the URL. */
  url: string | null;
}

/**
 * Source of intermediates that also caches those of public paths, because most servers that omit an intermediate omit
 * one of the same few.
 */
export interface CachingIntermediateSource extends IntermediateSource {
  /**
   * Caches the intermediates of a path. The path must end in a public anchor, because private CAs must
   * not reach other accounts.
   */
  learn(path: readonly Certificate[]): void;
}

/** Creates a source that fetches missing certificates from the AIA URLs in the chain (RFC 5280 §4.2.2.1). */
export function createIntermediateSource(context: FetchContext): CachingIntermediateSource {
  const known = new LruCache<string, readonly KnownIntermediate[]>(CACHE_BYTES);
  const fetchCached = createCachedFetch<readonly Certificate[], 'malformed'>(context, {
    parse: readableCertificates,
    accept: 'application/pkix-cert, application/pkcs7-mime',
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
    maxConcurrent: MAX_CONCURRENT,
    memoryBytes: MEMORY_BYTES,
  });

  const learn = (path: readonly Certificate[], urlOf: (one: Certificate) => string | null): void => {
    for (const certificate of path.slice(1, -1)) {
      const name = certificate.subject.comparisonKey;
      const cached = known.get(name) ?? [];
      const isSame = (one: KnownIntermediate): boolean =>
        one.certificate.fingerprint === certificate.fingerprint;
      const url = urlOf(certificate) ?? cached.find(isSame)?.url ?? null;
      const all = [{ certificate, url }, ...cached.filter((one) => !isSame(one))].slice(0, MAX_PER_SUBJECT);
      known.set(
        name,
        all,
        all.reduce((sum, one) => sum + one.certificate.der.byteLength, 0),
      );
    }
  };

  return {
    learn: (path) => learn(path, () => null),

    async complete({ chain, trustStore, requester, now, signal }) {
      const [leaf, ...sent] = chain;
      if (leaf === undefined) return { intermediates: [], isPending: false };
      const { work } = requester;
      const search = new Search(leaf, sent, trustStore, now, work);
      const addCached = (child: Certificate): void =>
        search.addCached(child, (name) => known.get(name) ?? []);
      const fetchIssuers = async (child: Certificate, url: string): Promise<boolean> => {
        const issuersIn = (found: readonly Certificate[]): Certificate[] =>
          found.filter((one) => one.isCertificateAuthority && isIssuer(one, child, work));
        const fetched = await fetchCached({
          key: `aia:${url}`,
          // Anybody can put a real CA's URL into a forged certificate. Its failure must not affect other certificates.
          subject: child.fingerprint,
          url,
          requester,
          validate: (found) =>
            issuersIn(found).length > 0 ? { freshUntil: now + FRESH_MS } : { why: 'malformed' },
          now,
          signal,
        });
        for (const issuer of fetched.ok ? issuersIn(fetched.value) : []) {
          search.add(issuer, url);
          addCached(issuer);
        }
        return !fetched.ok && fetched.why === 'pending';
      };

      addCached(leaf);
      let fetches = 0;
      let isPending = false;
      let children = [leaf];
      for (let depth = 0; depth < MAX_DEPTH && !search.isComplete(); depth++) {
        // Fetch even if an issuer is known: the known issuer may lead to an untrusted root, and
        // another issuer to a trusted one.
        const targets = children
          .flatMap((child) => child.caIssuersUrls.slice(0, MAX_URLS).map((url) => ({ child, url })))
          .slice(0, MAX_FETCHES - fetches);
        fetches += targets.length;
        const pending = await Promise.all(targets.map(({ child, url }) => fetchIssuers(child, url)));
        isPending ||= pending.includes(true);
        children = search.issuersOf(children);
      }
      const path = search.path();
      if (path !== null && isPublicPath(path, trustStore)) learn(path, (one) => search.urlOf(one));
      return { intermediates: search.result(), isPending: isPending && path === null };
    },
  };
}

/** Certificates available for one chain, with the source URLs of certificates that the server did not send. */
class Search {
  readonly #leaf: Certificate;
  readonly #sent: readonly Certificate[];
  readonly #trustStore: TrustStore;
  readonly #now: number;
  readonly #work: WorkBudget;
  readonly #added = new Map<string, KnownIntermediate>();

  constructor(
    leaf: Certificate,
    sent: readonly Certificate[],
    trustStore: TrustStore,
    now: number,
    work: WorkBudget,
  ) {
    this.#leaf = leaf;
    this.#sent = sent;
    this.#trustStore = trustStore;
    this.#now = now;
    this.#work = work;
  }

  add(certificate: Certificate, url: string | null): void {
    const isSent = this.#sent.some(({ fingerprint }) => fingerprint === certificate.fingerprint);
    if (isSent || this.#trustStore.has(certificate.fingerprint)) return;
    const existing = this.#added.get(certificate.fingerprint);
    this.#added.set(certificate.fingerprint, { certificate, url: url ?? existing?.url ?? null });
  }

  /**
   * Adds the cached valid issuers of `child`, then the cached valid issuers of these and of the other available issuers, level by level.
   */
  addCached(child: Certificate, cached: (name: string) => readonly KnownIntermediate[]): void {
    let children = [child];
    for (let depth = 0; depth < MAX_DEPTH + 1 && children.length > 0; depth++) {
      for (const one of children)
        for (const { certificate, url } of cached(one.issuer.comparisonKey))
          if (isIssuer(certificate, one, this.#work) && validityFailure(certificate, this.#now) === null)
            this.add(certificate, url !== null && one.caIssuersUrls.includes(url) ? url : null);
      children = this.issuersOf(children);
    }
  }

  /** Returns the available issuers of any of these certificates, without duplicates. */
  issuersOf(children: readonly Certificate[]): Certificate[] {
    const issuers = children.flatMap((child) => this.#issuersOfOne(child));
    return [...new Map(issuers.map((one) => [one.fingerprint, one])).values()];
  }

  isComplete(): boolean {
    return this.path() !== null;
  }

  urlOf({ fingerprint }: Certificate): string | null {
    return this.#added.get(fingerprint)?.url ?? null;
  }

  /**
   * Returns the added certificates that the valid path uses. If no path is valid, returns all of them, because they
   * show how far the chain leads.
   */
  result(): FoundIntermediate[] {
    const path = this.path();
    const all = [...this.#added.values()];
    return (
      path === null
        ? all
        : all.filter(({ certificate }) =>
            path.some(({ fingerprint }) => fingerprint === certificate.fingerprint),
          )
    ).map(({ certificate, url }) => ({
      der: certificate.der,
      source: url === null ? 'cache' : 'fetched',
      url,
    }));
  }

  path(): Certificate[] | null {
    return validPath([this.#leaf, ...this.#available()], this.#trustStore, this.#now, this.#work);
  }

  #available(): Certificate[] {
    return [...this.#sent, ...Array.from(this.#added.values(), ({ certificate }) => certificate)];
  }

  /**
   * Returns the available certificates that signed `child`. Omits self-signed ones, because nothing can be fetched above an untrusted root.
   */
  #issuersOfOne(child: Certificate): Certificate[] {
    const work = this.#work;
    return this.#available().filter(
      (one) => isIssuer(one, child, work) && !(one.selfIssued && isSignedBy(one, one, work)),
    );
  }
}

/**
 * Returns whether one certificate may have issued the other. Returns true if the signature cannot be verified, too: the chain then does not
 * lack an issuer.
 */
function isIssuer(issuer: Certificate, child: Certificate, work: WorkBudget): boolean {
  return (
    work.spend(PAIR_WORK) &&
    issuer.subject.comparisonKey === child.issuer.comparisonKey &&
    checkIssuer(child, issuer, work) !== 'invalid'
  );
}

function readableCertificates(bytes: Buffer): readonly Certificate[] | null {
  try {
    return parseCertificateBundle(bytes).flatMap((der) => tryParseCertificate(der) ?? []);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

/**
 * Builds a valid path, leaf first and anchor last; returns null if there is none. Ignores the leaf's validity period, because
 * revocation and renewal windows matter for an expired leaf too.
 */
export function validPath(
  [leaf, ...intermediates]: readonly [Certificate, ...Certificate[]],
  trustStore: TrustStore,
  now: number,
  work: WorkBudget,
): Certificate[] | null {
  const result = buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
  return result.ok ? result.path : null;
}

/** Returns whether the path ends in an anchor of a public root program. */
export function isPublicPath(path: readonly Certificate[], trustStore: TrustStore): boolean {
  const last = path.at(-1);
  return last !== undefined && trustStore.isPublic(last.fingerprint);
}

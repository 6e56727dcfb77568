import type { FetchedAuthority } from '../../core/index.ts';
import {
  buildPath,
  certificatesOf,
  isSignedBy,
  parseReadable,
  PkiError,
  validityFailure,
} from '../../pki/index.ts';
import type { Certificate, TrustStore } from '../../pki/index.ts';
import { RecentValues } from './recent-values.ts';
import { createRememberedFetch } from './remembered-fetch.ts';
import type { FetchWay } from './remembered-fetch.ts';
import type { AuthoritySource } from './sources.ts';

const MAX_BYTES = 64 * 1024;
const DEADLINE_MS = 10_000;
const MOST_AT_ONCE = 8;
/** Certificates above the leaf that are looked for, one above the other. */
const MAX_DEPTH = 3;
const MOST_FETCHES = 6;
const MOST_URLS = 2;
const FRESH_MS = 24 * 3_600_000;
const MEMORY_BYTES = 4 * 1024 * 1024;
/** Names of authorities that are remembered, and certificates of each: cross-signs and renewals. */
const MOST_KNOWN_NAMES = 1_024;
const MOST_OF_ONE_NAME = 8;

interface Known {
  certificate: Certificate;
  /** Where it was fetched from; null for one that some server sent. */
  url: string | null;
}

/** Also remembers the authorities of paths that hold: most servers that forget one need the same few. */
export interface RememberingAuthoritySource extends AuthoritySource {
  learn(path: readonly Certificate[]): void;
}

/** Finds the missing certificates of a chain at the AIA addresses that the chain itself names. */
export function createAuthoritySource(way: FetchWay): RememberingAuthoritySource {
  const known = new RecentValues<readonly Known[]>(MOST_KNOWN_NAMES);
  const fetchOnce = createRememberedFetch<readonly Certificate[]>(way, {
    parse: readableCertificates,
    accept: 'application/pkix-cert, application/pkcs7-mime',
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
    mostAtOnce: MOST_AT_ONCE,
    memoryBytes: MEMORY_BYTES,
  });

  const remember = (certificate: Certificate, url: string | null): void => {
    const name = certificate.subject.comparisonKey;
    const others = (known.get(name) ?? []).filter(
      (one) => one.certificate.fingerprint !== certificate.fingerprint,
    );
    known.set(name, [{ certificate, url }, ...others].slice(0, MOST_OF_ONE_NAME));
  };

  const fetchIssuers = async (child: Certificate, url: string, now: number, signal: AbortSignal) => {
    const issuersIn = (found: readonly Certificate[]): Certificate[] =>
      found.filter((one) => one.isCertificateAuthority && isIssuer(one, child));
    const fetched = await fetchOnce({
      key: `aia:${url}`,
      url,
      vet: (found) => ({ isProven: issuersIn(found).length > 0, freshUntil: now + FRESH_MS }),
      now,
      signal,
    });
    const issuers = fetched.ok ? issuersIn(fetched.value) : [];
    for (const one of issuers) remember(one, url);
    return issuers;
  };

  return {
    learn(path) {
      for (const certificate of path.slice(1, -1)) remember(certificate, null);
    },

    async complete({ chain, trustStore, now, signal }) {
      const [leaf, ...sent] = chain;
      if (leaf === undefined) return [];
      const search = new Search(leaf, sent, trustStore, now);
      search.add(leaf, (name) => known.get(name) ?? []);
      let fetches = 0;
      let children = [leaf];
      for (let depth = 0; depth < MAX_DEPTH && !search.holds(); depth++) {
        const wanting = children.filter((child) => !search.hasWay(child));
        const urls = wanting.flatMap((child) =>
          child.caIssuersUrls.slice(0, MOST_URLS).map((url) => ({ child, url })),
        );
        const asked = urls.slice(0, MOST_FETCHES - fetches);
        fetches += asked.length;
        await Promise.all(
          asked.map(async ({ child, url }) => {
            for (const issuer of await fetchIssuers(child, url, now, signal)) {
              search.found(issuer, url);
              search.add(issuer, (name) => known.get(name) ?? []);
            }
          }),
        );
        children = search.above(children);
      }
      return search.result();
    },
  };
}

/** The certificates at hand for one chain, and where those that it did not send came from. */
class Search {
  readonly #leaf: Certificate;
  readonly #sent: readonly Certificate[];
  readonly #trustStore: TrustStore;
  readonly #now: number;
  readonly #more = new Map<string, Known>();

  constructor(leaf: Certificate, sent: readonly Certificate[], trustStore: TrustStore, now: number) {
    this.#leaf = leaf;
    this.#sent = sent;
    this.#trustStore = trustStore;
    this.#now = now;
  }

  found(certificate: Certificate, url: string | null): void {
    const isSent = this.#sent.some(({ fingerprint }) => fingerprint === certificate.fingerprint);
    if (isSent || this.#trustStore.has(certificate.fingerprint)) return;
    const earlier = this.#more.get(certificate.fingerprint);
    this.#more.set(certificate.fingerprint, { certificate, url: url ?? earlier?.url ?? null });
  }

  /** Takes what is remembered of the authorities above `child`, and above those of them that were sent. */
  add(child: Certificate, remembered: (name: string) => readonly Known[]): void {
    let children = [child];
    for (let depth = 0; depth < MAX_DEPTH + 1 && children.length > 0; depth++) {
      for (const one of children)
        for (const { certificate, url } of remembered(one.issuer.comparisonKey))
          if (isIssuer(certificate, one) && validityFailure(certificate, this.#now) === null)
            this.found(certificate, url !== null && one.caIssuersUrls.includes(url) ? url : null);
      children = this.above(children);
    }
  }

  /** Every issuer at hand of any of these, once. */
  above(children: readonly Certificate[]): Certificate[] {
    const issuers = children.flatMap((child) => this.#issuersOf(child));
    return [...new Map(issuers.map((one) => [one.fingerprint, one])).values()];
  }

  /** Whether there is an issuer to go on from: an anchor, or one at hand that is valid today. */
  hasWay(child: Certificate): boolean {
    const isAnchored = this.#trustStore
      .withSubject(child.issuer)
      .some(({ certificate }) => isSignedBy(child, certificate));
    return isAnchored || this.#issuersOf(child).some((one) => validityFailure(one, this.#now) === null);
  }

  holds(): boolean {
    return this.#path() !== null;
  }

  /** What the path needs; where none holds, everything, since it tells how far the way leads. */
  result(): FetchedAuthority[] {
    const path = this.#path();
    const all = [...this.#more.values()];
    return (path === null ? all : all.filter(({ certificate }) => path.includes(certificate))).map(
      ({ certificate, url }) => ({ der: certificate.der, source: url === null ? 'cache' : 'fetched', url }),
    );
  }

  #path(): Certificate[] | null {
    const built = buildPath({
      leaf: this.#leaf,
      intermediates: this.#atHand(),
      trustStore: this.#trustStore,
      now: this.#now,
      ignoreLeafValidity: true,
    });
    return built.ok ? built.path : null;
  }

  #atHand(): Certificate[] {
    return [...this.#sent, ...Array.from(this.#more.values(), ({ certificate }) => certificate)];
  }

  /** All at hand that signed it; a root that nobody trusts leads nowhere. */
  #issuersOf(child: Certificate): Certificate[] {
    return this.#atHand().filter((one) => isIssuer(one, child) && !(one.selfIssued && isSignedBy(one, one)));
  }
}

function isIssuer(issuer: Certificate, child: Certificate): boolean {
  return issuer.subject.comparisonKey === child.issuer.comparisonKey && isSignedBy(child, issuer);
}

function readableCertificates(bytes: Buffer): readonly Certificate[] | null {
  try {
    return certificatesOf(bytes).flatMap((der) => parseReadable(der) ?? []);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

import type { FetchedAuthority } from '../../core/index.ts';
import {
  BoundedMap,
  certificatesOf,
  isSignedBy,
  parseReadable,
  PkiError,
  validityFailure,
} from '../../pki/index.ts';
import type { Certificate, TrustStore, WorkBudget } from '../../pki/index.ts';
import { heldPath, isPublicPath } from '../held-paths.ts';
import { createRememberedFetch } from './remembered-fetch.ts';
import type { FetchWay } from './remembered-fetch.ts';
import type { AuthoritySource } from './sources.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MAX_BYTES = 64 * 1024;
const DEADLINE_MS = 10_000;
const MOST_AT_ONCE = 32;
/** Certificates above the leaf that are looked for, one above the other. */
const MAX_DEPTH = 3;
const MOST_FETCHES = 6;
const MOST_URLS = 2;
const FRESH_MS = DAY_MS;
const MEMORY_BYTES = 4 * 1024 * 1024;
/** Of certificates that are remembered, and how many of one name: cross-signs and renewals. */
const KNOWN_BYTES = 4 * 1024 * 1024;
const MOST_OF_ONE_NAME = 8;
/** For asking whether one certificate issued another, besides verifying its signature. */
const PAIR_WORK = 5;

interface Known {
  certificate: Certificate;
  /** Where it was fetched from; null for one that some server sent. */
  url: string | null;
}

/** Also remembers the authorities of public paths: most servers that forget one need the same few. */
export interface RememberingAuthoritySource extends AuthoritySource {
  /** Only of paths that end in a public anchor: what else somebody trusts is his own affair. */
  learn(path: readonly Certificate[]): void;
}

/** Finds the missing certificates of a chain at the AIA addresses that the chain itself names. */
export function createAuthoritySource(way: FetchWay): RememberingAuthoritySource {
  const known = new BoundedMap<string, readonly Known[]>(KNOWN_BYTES);
  const fetchOnce = createRememberedFetch<readonly Certificate[], 'malformed'>(way, {
    parse: readableCertificates,
    accept: 'application/pkix-cert, application/pkcs7-mime',
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
    mostAtOnce: MOST_AT_ONCE,
    memoryBytes: MEMORY_BYTES,
  });

  const learn = (path: readonly Certificate[], urlOf: (one: Certificate) => string | null): void => {
    for (const certificate of path.slice(1, -1)) {
      const name = certificate.subject.comparisonKey;
      const before = known.get(name) ?? [];
      const isSame = (one: Known): boolean => one.certificate.fingerprint === certificate.fingerprint;
      const url = urlOf(certificate) ?? before.find(isSame)?.url ?? null;
      const all = [{ certificate, url }, ...before.filter((one) => !isSame(one))].slice(0, MOST_OF_ONE_NAME);
      known.set(
        name,
        all,
        all.reduce((sum, one) => sum + one.certificate.der.byteLength, 0),
      );
    }
  };

  return {
    learn: (path) => learn(path, () => null),

    async complete({ chain, trustStore, asker, now, signal }) {
      const [leaf, ...sent] = chain;
      if (leaf === undefined) return { authorities: [], isPending: false };
      const { work } = asker;
      const search = new Search(leaf, sent, trustStore, now, work);
      const add = (child: Certificate): void => search.add(child, (name) => known.get(name) ?? []);
      const fetchIssuers = async (child: Certificate, url: string): Promise<boolean> => {
        const issuersIn = (found: readonly Certificate[]): Certificate[] =>
          found.filter((one) => one.isCertificateAuthority && isIssuer(one, child, work));
        const fetched = await fetchOnce({
          key: `aia:${url}`,
          // Anybody may name the address of a real CA for a certificate that is none of it.
          subject: child.fingerprint,
          url,
          asker,
          vet: (found) =>
            issuersIn(found).length > 0 ? { freshUntil: now + FRESH_MS } : { why: 'malformed' },
          now,
          signal,
        });
        for (const issuer of fetched.ok ? issuersIn(fetched.value) : []) {
          search.found(issuer, url);
          add(issuer);
        }
        return !fetched.ok && fetched.why === 'pending';
      };

      add(leaf);
      let fetches = 0;
      let isPending = false;
      let children = [leaf];
      for (let depth = 0; depth < MAX_DEPTH && !search.holds(); depth++) {
        // Also where an issuer is at hand: it may lead to a root that nobody trusts, and another one to one that all do.
        const asked = children
          .flatMap((child) => child.caIssuersUrls.slice(0, MOST_URLS).map((url) => ({ child, url })))
          .slice(0, MOST_FETCHES - fetches);
        fetches += asked.length;
        const late = await Promise.all(asked.map(({ child, url }) => fetchIssuers(child, url)));
        isPending ||= late.includes(true);
        children = search.above(children);
      }
      const path = search.path();
      if (path !== null && isPublicPath(path, trustStore)) learn(path, (one) => search.urlOf(one));
      return { authorities: search.result(), isPending: isPending && path === null };
    },
  };
}

/** The certificates at hand for one chain, and where those that it did not send came from. */
class Search {
  readonly #leaf: Certificate;
  readonly #sent: readonly Certificate[];
  readonly #trustStore: TrustStore;
  readonly #now: number;
  readonly #work: WorkBudget;
  readonly #more = new Map<string, Known>();

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
          if (isIssuer(certificate, one, this.#work) && validityFailure(certificate, this.#now) === null)
            this.found(certificate, url !== null && one.caIssuersUrls.includes(url) ? url : null);
      children = this.above(children);
    }
  }

  /** Every issuer at hand of any of these, once. */
  above(children: readonly Certificate[]): Certificate[] {
    const issuers = children.flatMap((child) => this.#issuersOf(child));
    return [...new Map(issuers.map((one) => [one.fingerprint, one])).values()];
  }

  holds(): boolean {
    return this.path() !== null;
  }

  urlOf({ fingerprint }: Certificate): string | null {
    return this.#more.get(fingerprint)?.url ?? null;
  }

  /** What the path needs; where none holds, everything, since it tells how far the way leads. */
  result(): FetchedAuthority[] {
    const path = this.path();
    const all = [...this.#more.values()];
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
    return heldPath([this.#leaf, ...this.#atHand()], this.#trustStore, this.#now, this.#work);
  }

  #atHand(): Certificate[] {
    return [...this.#sent, ...Array.from(this.#more.values(), ({ certificate }) => certificate)];
  }

  /** All at hand that signed it; a root that nobody trusts leads nowhere. */
  #issuersOf(child: Certificate): Certificate[] {
    const work = this.#work;
    return this.#atHand().filter(
      (one) => isIssuer(one, child, work) && !(one.selfIssued && isSignedBy(one, one, work)),
    );
  }
}

function isIssuer(issuer: Certificate, child: Certificate, work: WorkBudget): boolean {
  return (
    work.spend(PAIR_WORK) &&
    issuer.subject.comparisonKey === child.issuer.comparisonKey &&
    isSignedBy(child, issuer, work)
  );
}

function readableCertificates(bytes: Buffer): readonly Certificate[] | null {
  try {
    return certificatesOf(bytes).flatMap((der) => parseReadable(der) ?? []);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

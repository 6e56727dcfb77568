import { concludeRevocation } from '../../core/judge/revocation.ts';
import type { RevocationEvidence, RevocationProblem } from '../../core/observation.ts';
import { withTimeout } from '../../egress/with-timeout.ts';
import { type Certificate, hasNoRevocationInformation, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { PkiError } from '../../pki/pki-error.ts';
import { crlSigners } from '../../pki/revocation/crl-signers.ts';
import { crlStatus } from '../../pki/revocation/crl-status.ts';
import { parseCrl, type RevocationList } from '../../pki/revocation/crl.ts';
import { ocspRequest } from '../../pki/revocation/ocsp-request.ts';
import { ocspStatus } from '../../pki/revocation/ocsp-status.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { Requester, RevocationSource } from './sources.ts';
import { createCachedFetch, type FetchContext, type FetchResult } from './cached-fetch.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const MAX_CRL_BYTES = 32 * 1024 * 1024;
const MAX_OCSP_BYTES = 64 * 1024;
const CRL_DEADLINE_MS = 20_000;
const OCSP_DEADLINE_MS = 10_000;
/**
 * Maximum number of concurrent CRL downloads, five in all. At the maximum size they take a third of a gigabyte, because joining the
 * chunks of a CRL takes twice its size, or half a gigabyte if all are sent compressed.
 */
const MAX_CONCURRENT_CRLS = { public: 3, others: 2 };
const MAX_CONCURRENT_OCSP = 16;
const CRL_MEMORY_BYTES = 32 * 1024 * 1024;
const OCSP_MEMORY_BYTES = 4 * 1024 * 1024;
const MAX_CRL_URLS = 3;
const MAX_OCSP_URLS = 2;
/** Maximum number of certificates outside the path that are tried as signers of a CRL. */
const MAX_OTHER_SIGNERS = 2;
/**
 * Time in ms to wait for a CRL before querying the next one, and to wait for any CRL before querying OCSP too. A thorough
 * probe queries OCSP at once.
 */
const CRL_WAIT_MS = 2_000;
/**
 * Maximum time in ms before an answer is fetched again. Answers are often valid for a week, but a revocation
 * should show within hours.
 */
const FRESH_MS = 6 * HOUR_MS;
const MAX_ANSWERS = 50_000;

interface RevocationQuery {
  certificate: Certificate;
  issuer: Certificate;
  /** The issuer, and the CAs above it. */
  authorities: readonly Certificate[];
  /** All certificates that the server sent, among which signers of CRLs may be. */
  sent: readonly Certificate[];
  /** Check whose quotas the requests use; null if the path ends in a public anchor. */
  requester: Requester | null;
  work: WorkBudget;
  isThorough: boolean;
  now: number;
  signal: AbortSignal;
}

interface CachedEvidence {
  evidence: RevocationEvidence[];
  isThorough: boolean;
  from: number;
  until: number;
}

export interface RevocationContexts {
  /** Context for certificates that a public CA vouches for. */
  public: FetchContext;
  /** Context for all other certificates, which must not use up the concurrency, memory or disk space of public ones. */
  others: FetchContext;
}

/**
 * Creates a source that checks revocation by CRL, and by OCSP too if no CRL gives an answer within 2 s. A thorough probe
 * queries both at once. Also evaluates a staple. Caches the answers of CRLs and OCSP.
 */
export function createRevocationSource(contexts: RevocationContexts): RevocationSource {
  const { queryCrl, queryOcsp } = createUrlQueries(contexts);
  const answers = new LruCache<string, CachedEvidence>(MAX_ANSWERS);

  const queryCertificate = async (query: RevocationQuery): Promise<RevocationEvidence[]> => {
    const { certificate, requester, isThorough, now, signal } = query;
    const signers = await signersOf(query);
    const fingerprints = [certificate, ...signers].map(({ fingerprint }) => fingerprint);
    const key = [requester === null ? 'public' : 'others', ...fingerprints].join(' ');
    const cached = answers.get(key);
    const isFresh = cached !== null && cached.from <= now && now < cached.until;
    if (isFresh && (cached.isThorough || !isThorough)) return cached.evidence;
    const ocspAnswered = new AbortController();
    const crlSignal = AbortSignal.any([signal, ocspAnswered.signal]);
    const urls = certificate.crlUrls.slice(0, MAX_CRL_URLS);
    const crlResults = untilAnswered(urls, (url, index) => {
      const isLast = index === urls.length - 1;
      const timeout = isLast ? [] : [AbortSignal.timeout(CRL_WAIT_MS)];
      return queryCrl(url, { ...query, signal: AbortSignal.any([crlSignal, ...timeout]) }, signers);
    });
    const queryResponders = async (): Promise<SourceResult[]> => {
      const early = isThorough ? [] : await withTimeout(crlResults, { ms: CRL_WAIT_MS, signal }, []);
      if (early.some(isAnswer)) return [];
      const ocspUrls = certificate.ocspUrls.slice(0, MAX_OCSP_URLS);
      const ocspResults = await untilAnswered(ocspUrls, (url) => queryOcsp(url, query));
      if (!isThorough && ocspResults.some(isAnswer)) ocspAnswered.abort();
      return ocspResults;
    };
    const all = (await Promise.all([crlResults, queryResponders()])).flat();
    const evidence = all.map((one) => one.evidence);
    const until = Math.min(...all.map(({ askAgainAt }) => askAgainAt), ...evidence.map(validUntil));
    if (all.length > 0) answers.set(key, { evidence, isThorough, from: now, until });
    return evidence;
  };

  /** Returns the certificates that may sign CRLs about the certificate of a query. */
  const signersOf = async (query: RevocationQuery): Promise<Certificate[]> => {
    const { certificate, authorities, sent, now, signal } = query;
    if (certificate.crlUrls.length === 0) return [...authorities];
    const found = crlSigners({ ...query, others: sent });
    const more = found.slice(0, MAX_OTHER_SIGNERS).map(async (signer) => {
      const [issuer] = signer.authorities;
      if (issuer === undefined) return [];
      const evidence = await queryCertificate({ ...query, ...signer, issuer, sent: [] });
      const { state } = concludeRevocation(signer.certificate, evidence, null, now);
      return state === 'good' ? [signer.certificate] : [];
    });
    // A slow CRL about a CA must not delay the revocation status of the certificate itself.
    const good = await withTimeout(Promise.all(more), { ms: CRL_WAIT_MS, signal }, []);
    return [...authorities, ...good.flat()];
  };

  return {
    async evidence({ path, sent, isPublic, requester: check, staple, isThorough, now, signal }) {
      const requester = isPublic ? null : check;
      const queries = path.slice(0, -1).flatMap((certificate, index): RevocationQuery[] => {
        const issuer = path[index + 1];
        const own = { sent, requester, work: check.work, isThorough, now, signal };
        return issuer === undefined
          ? []
          : [{ certificate, issuer, authorities: path.slice(index + 1), ...own }];
      });
      const [first] = queries;
      const stapled = first === undefined || staple === null ? [] : [stapleEvidence(staple, first)];
      const checkable = queries.filter(({ certificate }) => !hasNoRevocationInformation(certificate));
      return [...stapled, ...(await Promise.all(checkable.map(queryCertificate))).flat()];
    },
  };
}

/** Creates the queries of one CRL and of one OCSP responder. */
function createUrlQueries(contexts: RevocationContexts) {
  const fetches = { public: createFetches(contexts, 'public'), others: createFetches(contexts, 'others') };
  const fetchesFor = ({ requester }: RevocationQuery) => fetches[requester === null ? 'public' : 'others'];

  const queryCrl = async (
    url: string,
    query: RevocationQuery,
    signers: readonly Certificate[],
  ): Promise<SourceResult> => {
    const { certificate, issuer, requester, now } = query;
    const isPublic = requester === null;
    const answerOf = (crl: RevocationList) => crlStatus({ crl, certificate, signers, isPublic, url, now });
    const fetched = await fetchesFor(query).crl({
      // The key includes the issuer's public key, because certificates of any other CA may name this URL too.
      key: `crl:${url} ${subjectPublicKeyHash(issuer)}`,
      // The subject names the signers that this check accepts, so that a failure is not cached for checks that accept other signers.
      subject: [
        'signers',
        ...signers.slice(query.authorities.length).map(({ fingerprint }) => fingerprint),
      ].join(' '),
      url,
      requester,
      validate: (crl, previous) => {
        const answer = answerOf(crl);
        if (answer.state === 'none' && UNTRUSTED.has(answer.why)) return { why: answer.why };
        if (previous !== null && previous.thisUpdate > crl.thisUpdate) return { why: 'stale' };
        return { freshUntil: Math.min(now + FRESH_MS, crl.nextUpdate ?? now) };
      },
      now,
      signal: query.signal,
    });
    return toResult('crl', url, query, fetched, answerOf);
  };

  const queryOcsp = async (url: string, query: RevocationQuery): Promise<SourceResult> => {
    const { certificate, issuer, requester, work, now } = query;
    const isPublic = requester === null;
    const answerOf = (response: Uint8Array) =>
      ocspStatus({ response, certificate, issuer, isPublic, now, work });
    const fetched = await fetchesFor(query).ocsp({
      // The key includes the issuer, because another issuer of the same name would get another answer.
      key: `ocsp:${url} ${certificate.fingerprint} ${issuer.fingerprint}`,
      url,
      requester,
      body: { type: 'application/ocsp-request', bytes: ocspRequest({ certificate, issuer }) },
      validate: (response, previous) => {
        const answer = answerOf(response);
        if (answer.state === 'none') return { why: answer.why };
        const earlier = previous && answerOf(previous);
        if (earlier !== null && earlier.state !== 'none' && earlier.thisUpdate > answer.thisUpdate)
          return { why: 'stale' };
        return { freshUntil: Math.min(now + FRESH_MS, answer.nextUpdate ?? now) };
      },
      now,
      signal: query.signal,
    });
    return toResult('ocsp', url, query, fetched, answerOf);
  };

  return { queryCrl, queryOcsp };
}

function createFetches(contexts: RevocationContexts, kind: 'public' | 'others') {
  const share = kind === 'public' ? 1 : 0.25;
  return {
    crl: createCachedFetch<RevocationList, RevocationProblem>(contexts[kind], {
      parse: readableList,
      accept: 'application/pkix-crl',
      maxBytes: MAX_CRL_BYTES,
      deadlineMs: CRL_DEADLINE_MS,
      maxConcurrent: MAX_CONCURRENT_CRLS[kind],
      memoryBytes: CRL_MEMORY_BYTES * share,
    }),
    ocsp: createCachedFetch<Uint8Array, RevocationProblem>(contexts[kind], {
      parse: (bytes) => bytes,
      accept: 'application/ocsp-response',
      maxBytes: MAX_OCSP_BYTES,
      deadlineMs: OCSP_DEADLINE_MS,
      maxConcurrent: MAX_CONCURRENT_OCSP,
      memoryBytes: OCSP_MEMORY_BYTES * share,
    }),
  };
}

/**
 * Problems that show that a CRL may be forged or belong to another CA. We never cache such a CRL. We do cache one with critical extensions
 * that we or clients do not understand, because it may still revoke other certificates.
 */
const UNTRUSTED: ReadonlySet<RevocationProblem> = new Set([
  'wrong_issuer',
  'bad_signature',
  'weak_signature',
  'unknown_signature',
] as const);

interface SourceResult {
  evidence: RevocationEvidence;
  askAgainAt: number;
}

const isAnswer = ({ evidence }: SourceResult): boolean => evidence.answer.state !== 'none';

/** Tries the URLs in turn and stops after the first answer. Returns all attempts. */
async function untilAnswered(
  urls: readonly string[],
  query: (url: string, index: number) => Promise<SourceResult>,
): Promise<SourceResult[]> {
  const all: SourceResult[] = [];
  for (const [index, url] of urls.entries()) if (!all.some(isAnswer)) all.push(await query(url, index));
  return all;
}

function toResult<Value>(
  source: 'crl' | 'ocsp',
  url: string,
  { certificate: { fingerprint } }: RevocationQuery,
  fetched: FetchResult<Value, RevocationProblem>,
  answerOf: (value: Value) => RevocationEvidence['answer'],
): SourceResult {
  const { at, askAgainAt } = fetched;
  const answer = fetched.ok ? answerOf(fetched.value) : ({ state: 'none', why: fetched.why } as const);
  return { evidence: { fingerprint, source, url, at, answer }, askAgainAt };
}

/** Returns nextUpdate in ms UTC, after which the answer must be evaluated again, or Infinity if there is none. */
function validUntil({ answer }: RevocationEvidence): number {
  return answer.state === 'none' ? Infinity : (answer.nextUpdate ?? Infinity);
}

function stapleEvidence(
  response: Uint8Array,
  { certificate, issuer, requester, work, now }: RevocationQuery,
): RevocationEvidence {
  const isPublic = requester === null;
  const answer = ocspStatus({ response, certificate, issuer, isPublic, work, now });
  return { fingerprint: certificate.fingerprint, source: 'staple', url: null, at: now, answer };
}

function readableList(bytes: Buffer): RevocationList | null {
  try {
    return parseCrl(bytes);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

import type { RevocationEvidence, RevocationProblem } from '../../core/index.ts';
import { within } from '../../egress/index.ts';
import {
  BoundedMap,
  type Certificate,
  crlAnswer,
  hasNoRevocationInformation,
  ocspAnswer,
  ocspRequest,
  parseCrl,
  PkiError,
  type RevocationList,
  subjectPublicKeyHash,
  type WorkBudget,
} from '../../pki/index.ts';
import type { Asker, RevocationSource } from './sources.ts';
import { createRememberedFetch, type Fetched, type FetchWay } from './remembered-fetch.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const MAX_CRL_BYTES = 32 * 1024 * 1024;
const MAX_OCSP_BYTES = 64 * 1024;
const CRL_DEADLINE_MS = 20_000;
const OCSP_DEADLINE_MS = 10_000;
/**
 * Over both kinds of askers five lists at once: a third of a gigabyte if all are of the largest, for a list takes its size twice
 * while its parts are joined.
 */
const MOST_CRLS_AT_ONCE = { public: 3, others: 2 };
const MOST_OCSP_AT_ONCE = 16;
const CRL_MEMORY_BYTES = 32 * 1024 * 1024;
const OCSP_MEMORY_BYTES = 4 * 1024 * 1024;
const MOST_CRL_URLS = 3;
const MOST_OCSP_URLS = 2;
/** After this time without an answer, the next list and the responder are asked as well. Unless the probe is thorough, the first answer suffices. */
const CRL_WAIT_MS = 2_000;
/** What was revoked should be known within hours, though lists are often good for a week. */
const FRESH_MS = 6 * HOUR_MS;
const MOST_ANSWERS = 50_000;

interface Question {
  certificate: Certificate;
  issuer: Certificate;
  /** null where the path ends in a public anchor. */
  asker: Asker | null;
  work: WorkBudget;
  isThorough: boolean;
  now: number;
  signal: AbortSignal;
}

interface Remembered {
  evidence: RevocationEvidence[];
  isThorough: boolean;
  from: number;
  until: number;
}

export interface RevocationWays {
  /** For certificates that a public authority stands behind. */
  public: FetchWay;
  /** For all others: they must not take the slots, the memory or the disk of those. */
  others: FetchWay;
}

/**
 * Checks revocation by CRL. Falls back to OCSP if no CRL answers; a thorough probe always asks both. Caches the answers of both.
 */
export function createRevocationSource(ways: RevocationWays): RevocationSource {
  const fetches = { public: fetchesOver(ways, 'public'), others: fetchesOver(ways, 'others') };
  const answers = new BoundedMap<string, Remembered>(MOST_ANSWERS);
  const fetchesFor = ({ asker }: Question) => fetches[asker === null ? 'public' : 'others'];

  const askCrl = async (url: string, question: Question): Promise<Told> => {
    const { certificate, issuer, asker, now } = question;
    const answerOf = (crl: RevocationList) => crlAnswer({ crl, certificate, issuer, url, now });
    const fetched = await fetchesFor(question).crl({
      // The key that has to have signed it: whose certificates else name the address, they prove nothing about this list.
      key: `crl:${url} ${subjectPublicKeyHash(issuer)}`,
      url,
      asker,
      vet: (crl, previous) => {
        if (!crl.isSignedBy(issuer)) return { why: whyNot(answerOf(crl)) };
        if (previous !== null && previous.thisUpdate > crl.thisUpdate) return { why: 'stale' };
        return { freshUntil: Math.min(now + FRESH_MS, crl.nextUpdate ?? now) };
      },
      now,
      signal: question.signal,
    });
    return told('crl', url, question, fetched, answerOf);
  };

  const askOcsp = async (url: string, question: Question): Promise<Told> => {
    const { certificate, issuer, asker, work, now } = question;
    const answerOf = (response: Uint8Array) => ocspAnswer({ response, certificate, issuer, now, work });
    const fetched = await fetchesFor(question).ocsp({
      // The issuer too: another one of the same name would get another answer.
      key: `ocsp:${url} ${certificate.fingerprint} ${issuer.fingerprint}`,
      url,
      asker,
      body: { type: 'application/ocsp-request', bytes: ocspRequest({ certificate, issuer }) },
      vet: (response, previous) => {
        const answer = answerOf(response);
        if (answer.state === 'none') return { why: answer.why };
        const before = previous && answerOf(previous);
        if (before !== null && before.state !== 'none' && before.thisUpdate > answer.thisUpdate)
          return { why: 'stale' };
        return { freshUntil: Math.min(now + FRESH_MS, answer.nextUpdate ?? now) };
      },
      now,
      signal: question.signal,
    });
    return told('ocsp', url, question, fetched, answerOf);
  };

  const ask = async (question: Question): Promise<RevocationEvidence[]> => {
    const { certificate, issuer, isThorough, now, signal } = question;
    const key = `${certificate.fingerprint} ${issuer.fingerprint}`;
    const before = answers.get(key);
    const isFresh = before !== null && before.from <= now && now < before.until;
    if (isFresh && (before.isThorough || !isThorough)) return before.evidence;
    const enough = new AbortController();
    const untilEnough = AbortSignal.any([signal, enough.signal]);
    const urls = certificate.crlUrls.slice(0, MOST_CRL_URLS);
    const lists = untilAnswered(urls, (url, index) => {
      const isLast = index === urls.length - 1;
      const patience = isLast ? [] : [AbortSignal.timeout(CRL_WAIT_MS)];
      return askCrl(url, { ...question, signal: AbortSignal.any([untilEnough, ...patience]) });
    });
    const askResponders = async (): Promise<Told[]> => {
      const soon = isThorough ? [] : await within(lists, { ms: CRL_WAIT_MS, signal }, []);
      if (soon.some(isAnswer)) return [];
      const ocspUrls = certificate.ocspUrls.slice(0, MOST_OCSP_URLS);
      const responders = await untilAnswered(ocspUrls, (url) => askOcsp(url, question));
      if (!isThorough && responders.some(isAnswer)) enough.abort();
      return responders;
    };
    const all = (await Promise.all([lists, askResponders()])).flat();
    const evidence = all.map((one) => one.evidence);
    const until = Math.min(...all.map(({ askAgainAt }) => askAgainAt), ...evidence.map(endOf));
    if (all.length > 0) answers.set(key, { evidence, isThorough, from: now, until });
    return evidence;
  };

  return {
    async evidence({ path, isPublic, asker: host, staple, isThorough, now, signal }) {
      const asker = isPublic ? null : host;
      const questions = path.slice(0, -1).flatMap((certificate, index): Question[] => {
        const issuer = path[index + 1];
        const own = { asker, work: host.work, isThorough, now, signal };
        return issuer === undefined ? [] : [{ certificate, issuer, ...own }];
      });
      const [first] = questions;
      const stapled = first === undefined || staple === null ? [] : [stapleEvidence(staple, first)];
      const asked = questions.filter(({ certificate }) => !hasNoRevocationInformation(certificate));
      return [...stapled, ...(await Promise.all(asked.map(ask))).flat()];
    },
  };
}

function fetchesOver(ways: RevocationWays, kind: 'public' | 'others') {
  const share = kind === 'public' ? 1 : 0.25;
  return {
    crl: createRememberedFetch<RevocationList, RevocationProblem>(ways[kind], {
      parse: readableList,
      accept: 'application/pkix-crl',
      maxBytes: MAX_CRL_BYTES,
      deadlineMs: CRL_DEADLINE_MS,
      mostAtOnce: MOST_CRLS_AT_ONCE[kind],
      memoryBytes: CRL_MEMORY_BYTES * share,
    }),
    ocsp: createRememberedFetch<Uint8Array, RevocationProblem>(ways[kind], {
      parse: (bytes) => bytes,
      accept: 'application/ocsp-response',
      maxBytes: MAX_OCSP_BYTES,
      deadlineMs: OCSP_DEADLINE_MS,
      mostAtOnce: MOST_OCSP_AT_ONCE,
      memoryBytes: OCSP_MEMORY_BYTES * share,
    }),
  };
}

function whyNot(answer: RevocationEvidence['answer']): RevocationProblem {
  return answer.state === 'none' ? answer.why : 'bad_signature';
}

interface Told {
  evidence: RevocationEvidence;
  askAgainAt: number;
}

const isAnswer = ({ evidence }: Told): boolean => evidence.answer.state !== 'none';

/** Tries the URLs in turn and stops after the first answer. Returns all attempts. */
async function untilAnswered(
  urls: readonly string[],
  ask: (url: string, index: number) => Promise<Told>,
): Promise<Told[]> {
  const all: Told[] = [];
  for (const [index, url] of urls.entries()) if (!all.some(isAnswer)) all.push(await ask(url, index));
  return all;
}

function told<Value>(
  source: 'crl' | 'ocsp',
  url: string,
  { certificate: { fingerprint } }: Question,
  fetched: Fetched<Value, RevocationProblem>,
  answerOf: (value: Value) => RevocationEvidence['answer'],
): Told {
  const { at, askAgainAt } = fetched;
  const answer = fetched.ok ? answerOf(fetched.value) : ({ state: 'none', why: fetched.why } as const);
  return { evidence: { fingerprint, source, url, at, answer }, askAgainAt };
}

/** Past it, an answer has to be judged again. */
function endOf({ answer }: RevocationEvidence): number {
  return answer.state === 'none' ? Infinity : (answer.nextUpdate ?? Infinity);
}

function stapleEvidence(
  response: Uint8Array,
  { certificate, issuer, work, now }: Question,
): RevocationEvidence {
  const answer = ocspAnswer({ response, certificate, issuer, work, now });
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

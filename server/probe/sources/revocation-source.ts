import type { RevocationEvidence } from '../../core/index.ts';
import {
  crlAnswer,
  hasNoRevocationInformation,
  ocspAnswer,
  ocspRequest,
  parseCrl,
  PkiError,
} from '../../pki/index.ts';
import type { Certificate, RevocationList } from '../../pki/index.ts';
import { RecentValues } from './recent-values.ts';
import { createRememberedFetch } from './remembered-fetch.ts';
import type { Fetched, FetchWay } from './remembered-fetch.ts';
import type { RevocationSource } from './sources.ts';

const MAX_CRL_BYTES = 32 * 1024 * 1024;
const MAX_OCSP_BYTES = 64 * 1024;
const CRL_DEADLINE_MS = 20_000;
const OCSP_DEADLINE_MS = 10_000;
/** Four of the largest lists are a quarter of a gigabyte while they arrive. */
const MOST_CRLS_AT_ONCE = 4;
const MOST_OCSP_AT_ONCE = 16;
const CRL_MEMORY_BYTES = 32 * 1024 * 1024;
const OCSP_MEMORY_BYTES = 4 * 1024 * 1024;
const MOST_CRL_URLS = 3;
const MOST_OCSP_URLS = 2;
/** A list that takes longer is left to arrive for the next check, and the responder is asked meanwhile. */
const CRL_WAIT_MS = 2_000;
/** What was revoked should be known within hours, though lists are often good for a week. */
const FRESH_MS = 6 * 3_600_000;
const MOST_ANSWERS = 50_000;

interface Question {
  certificate: Certificate;
  issuer: Certificate;
  now: number;
  signal: AbortSignal;
}

interface Remembered {
  evidence: RevocationEvidence[];
  from: number;
  until: number;
}

/** Asks CRLs first and OCSP where none of them answers, each through the guarded way, and remembers both. */
export function createRevocationSource(way: FetchWay): RevocationSource {
  const fetchCrl = createRememberedFetch<RevocationList>(way, {
    parse: readableList,
    accept: 'application/pkix-crl',
    maxBytes: MAX_CRL_BYTES,
    deadlineMs: CRL_DEADLINE_MS,
    mostAtOnce: MOST_CRLS_AT_ONCE,
    memoryBytes: CRL_MEMORY_BYTES,
  });
  const fetchOcsp = createRememberedFetch<Uint8Array>(way, {
    parse: (bytes) => bytes,
    accept: 'application/ocsp-response',
    maxBytes: MAX_OCSP_BYTES,
    deadlineMs: OCSP_DEADLINE_MS,
    mostAtOnce: MOST_OCSP_AT_ONCE,
    memoryBytes: OCSP_MEMORY_BYTES,
  });
  const answers = new RecentValues<Remembered>(MOST_ANSWERS);

  const askCrl = async (url: string, question: Question): Promise<Told> => {
    const { certificate, issuer, now } = question;
    const fetched = await fetchCrl({
      key: `crl:${url}`,
      url,
      vet: (crl, previous) => ({
        isProven: crl.isSignedBy(issuer) && (previous?.thisUpdate ?? -Infinity) <= crl.thisUpdate,
        freshUntil: Math.min(now + FRESH_MS, crl.nextUpdate ?? now),
      }),
      now,
      signal: AbortSignal.any([question.signal, AbortSignal.timeout(CRL_WAIT_MS)]),
    });
    return told('crl', url, question, fetched, (crl) => crlAnswer({ crl, certificate, issuer, url, now }));
  };

  const askOcsp = async (url: string, question: Question): Promise<Told> => {
    const { certificate, issuer, now } = question;
    const answerOf = (response: Uint8Array) => ocspAnswer({ response, certificate, issuer, now });
    const fetched = await fetchOcsp({
      // The issuer too: another one of the same name would get another answer.
      key: `ocsp:${url} ${certificate.fingerprint} ${issuer.fingerprint}`,
      url,
      body: { type: 'application/ocsp-request', bytes: ocspRequest({ certificate, issuer }) },
      vet: (response, previous) => {
        const answer = answerOf(response);
        if (answer.state === 'none') return { isProven: false, freshUntil: now };
        const before = previous && answerOf(previous);
        const isOlder = before !== null && before.state !== 'none' && before.thisUpdate > answer.thisUpdate;
        return { isProven: !isOlder, freshUntil: Math.min(now + FRESH_MS, answer.nextUpdate ?? now) };
      },
      now,
      signal: question.signal,
    });
    return told('ocsp', url, question, fetched, answerOf);
  };

  const ask = async (question: Question): Promise<RevocationEvidence[]> => {
    const { certificate, issuer, now } = question;
    const key = `${certificate.fingerprint} ${issuer.fingerprint}`;
    const before = answers.get(key);
    if (before !== null && before.from <= now && now < before.until) return before.evidence;
    const all: Told[] = [];
    const isAnswered = (): boolean => all.some(({ evidence }) => evidence.answer.state !== 'none');
    for (const url of certificate.crlUrls.slice(0, MOST_CRL_URLS))
      if (!isAnswered()) all.push(await askCrl(url, question));
    for (const url of certificate.ocspUrls.slice(0, MOST_OCSP_URLS))
      if (!isAnswered()) all.push(await askOcsp(url, question));
    const evidence = all.map((one) => one.evidence);
    const until = Math.min(...all.map(({ askAgainAt }) => askAgainAt), ...evidence.map(endOf));
    if (all.length > 0) answers.set(key, { evidence, from: now, until });
    return evidence;
  };

  return {
    async evidence({ path, staple, now, signal }) {
      const questions = path.slice(0, -1).flatMap((certificate, index): Question[] => {
        const issuer = path[index + 1];
        return issuer === undefined ? [] : [{ certificate, issuer, now, signal }];
      });
      const [first] = questions;
      const stapled = first === undefined || staple === null ? [] : [stapleEvidence(staple, first)];
      const asked = questions.filter(({ certificate }) => !hasNoRevocationInformation(certificate));
      return [...stapled, ...(await Promise.all(asked.map(ask))).flat()];
    },
  };
}

interface Told {
  evidence: RevocationEvidence;
  askAgainAt: number;
}

function told<Value>(
  source: 'crl' | 'ocsp',
  url: string,
  { certificate: { fingerprint } }: Question,
  fetched: Fetched<Value>,
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

function stapleEvidence(response: Uint8Array, { certificate, issuer, now }: Question): RevocationEvidence {
  const answer = ocspAnswer({ response, certificate, issuer, now });
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

import { z } from 'zod';
import type { RenewalEvidence } from '../../core/observation.ts';
import { parseRenewalInfo, renewalInfoId } from '../../pki/renewal-info.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { DiskCache } from './disk-cache.ts';
import { fetchJson, type JsonContext } from './fetch-json.ts';
import { createCachedAnswers, type FetchedAnswer } from './cached-answers.ts';
import type { RenewalSource } from './sources.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** A CA that publishes renewal windows. We list these CAs ourselves, so that no certificate can choose the server. */
export interface RenewalAuthority {
  /** organizationName (O) in the subject of the CA's issuing certificates. */
  organization: string;
  /** URL of the CA's ACME directory (RFC 8555 §7.1.1), which contains the `renewalInfo` URL. */
  directory: string;
}

export const RENEWAL_AUTHORITIES: readonly RenewalAuthority[] = [
  { organization: "Let's Encrypt", directory: 'https://acme-v02.api.letsencrypt.org/directory' },
  { organization: 'Google Trust Services', directory: 'https://dv.acme-v02.api.pki.goog/directory' },
  { organization: 'Google Trust Services LLC', directory: 'https://dv.acme-v02.api.pki.goog/directory' },
];

export interface RenewalContext extends JsonContext {
  cache: DiskCache;
}

const UNSUPPORTED_MS = 7 * DAY_MS;
const DIRECTORY_MS = 7 * DAY_MS;
/** Minimum retry interval if there is no answer (RFC 9773 §4.3.3). */
const NO_ANSWER_MS = 15 * MINUTE_MS;
/** Retry interval after an invalid answer (RFC 9773 §4.3.3). */
const INVALID_ANSWER_MS = 6 * HOUR_MS;
const MAX_BYTES = 64 * 1024;
const ACCEPT = 'application/json';

const directorySchema = z.object({ renewalInfo: z.string().max(2_048).nullable() });
const storedSchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('window'),
    start: z.number(),
    end: z.number(),
    explanationUrl: z.string().nullable(),
    at: z.number(),
  }),
  z.object({ outcome: z.literal('unsupported'), at: z.number() }),
  z.object({ outcome: z.literal('unavailable'), at: z.number() }),
]);
type StoredRenewal = z.infer<typeof storedSchema>;
type Directory = z.infer<typeof directorySchema>;

/**
 * Creates a source that requests renewal windows from CAs (RFC 9773) once a day or at the interval that the CA sets,
 * and caches the answers on disk.
 */
export function createRenewalSource(
  context: RenewalContext,
  authorities: readonly RenewalAuthority[] = RENEWAL_AUTHORITIES,
): RenewalSource {
  const { cache, ...json } = context;
  const directoryOf = createCachedAnswers<Directory | null>({
    cache,
    read: (content) => directorySchema.safeParse(content).data ?? null,
    maxConcurrent: 2,
  });
  const windowOf = createCachedAnswers<StoredRenewal>({
    cache,
    read: (content) => storedSchema.safeParse(content).data ?? null,
    maxConcurrent: 8,
  });

  /** Time (ms UTC) by directory until which we send no requests, because the CA limits our request rate. */
  const pausedUntil = new Map<string, number>();

  /** Answers null if the directory could not be read, for example because the certificate of its server cannot be verified. */
  const fetchDirectory = async (url: string, now: number): Promise<FetchedAnswer<Directory | null>> => {
    const response = await fetchJson(url, json, { accept: ACCEPT, maxBytes: MAX_BYTES, now });
    const directory = directorySchema.safeParse(response.status === 200 ? response.content : null).data;
    if (directory !== undefined)
      return { answer: directory, askAgainAt: now + DIRECTORY_MS, isFailure: false };
    const isAvailable = response.status === 200;
    const askAgainAt =
      now + (isAvailable ? DAY_MS : Math.max(NO_ANSWER_MS, clampInterval(response.retryAfterMs ?? 0)));
    return { answer: isAvailable ? { renewalInfo: null } : null, askAgainAt, isFailure: !isAvailable };
  };

  const fetchWindow = async (
    url: string,
    directory: string,
    now: number,
  ): Promise<FetchedAnswer<StoredRenewal>> => {
    const resumeAt = pausedUntil.get(directory) ?? 0;
    if (now < resumeAt && resumeAt <= now + DAY_MS)
      return { answer: { outcome: 'unavailable', at: now }, askAgainAt: resumeAt, isFailure: true };
    const response = await fetchJson(url, json, { accept: ACCEPT, maxBytes: MAX_BYTES, now });
    const window = response.status === 200 ? parseRenewalInfo(response.body) : null;
    if (window !== null) {
      const askAgainAt = now + clampInterval(response.retryAfterMs ?? DAY_MS);
      return { answer: { outcome: 'window', ...window, at: now }, askAgainAt, isFailure: false };
    }
    if (response.status === 404)
      return {
        answer: { outcome: 'unsupported', at: now },
        askAgainAt: now + UNSUPPORTED_MS,
        isFailure: false,
      };
    const wait =
      response.status === 200
        ? INVALID_ANSWER_MS
        : Math.max(NO_ANSWER_MS, clampInterval(response.retryAfterMs ?? 0));
    // Status 429, and 503 with Retry-After, mean that we send too many requests, not that this certificate has a
    // problem (RFC 6585 §4, RFC 9110 §15.6.4).
    if (response.status === 429 || (response.status === 503 && response.retryAfterMs !== null))
      pausedUntil.set(directory, now + wait);
    return { answer: { outcome: 'unavailable', at: now }, askAgainAt: now + wait, isFailure: true };
  };

  return {
    async renewal({ leaf, now, signal }) {
      const authority = authorityOf(leaf, authorities);
      const id = renewalInfoId(leaf);
      if (authority === null || id === null) return null;
      const { fingerprint } = leaf;
      const { directory } = authority;
      const found = await directoryOf({
        key: `ari-directory:${directory}`,
        now,
        signal,
        ask: () => fetchDirectory(directory, now),
      });
      if (found === null) return { fingerprint, at: now, outcome: 'unavailable' };
      if (found.renewalInfo === null) return { fingerprint, at: now, outcome: 'unsupported' };
      const url = `${found.renewalInfo.replace(/\/$/, '')}/${id}`;
      const renewal = await windowOf({
        key: `ari:${url}`,
        now,
        signal,
        ask: () => fetchWindow(url, directory, now),
      });
      const evidence: RenewalEvidence = { fingerprint, ...(renewal ?? { outcome: 'unavailable', at: now }) };
      return evidence;
    },
  };
}

function authorityOf(
  { issuer }: Certificate,
  authorities: readonly RenewalAuthority[],
): RenewalAuthority | null {
  const organization = issuer.attribute('O');
  return authorities.find((one) => one.organization === organization) ?? null;
}

/** Limits an interval in ms to between one minute and one day (RFC 9773 §4.3). */
function clampInterval(ms: number): number {
  return Math.min(Math.max(ms, MINUTE_MS), DAY_MS);
}

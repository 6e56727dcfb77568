import { z } from 'zod';

import type { RenewalEvidence } from '../../core/index.ts';
import { parseRenewalInfo, renewalInfoId } from '../../pki/index.ts';
import type { Certificate } from '../../pki/index.ts';
import type { DiskCache } from './disk-cache.ts';
import { askForJson } from './json-answer.ts';
import type { JsonWay } from './json-answer.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import type { Learned } from './remembered-answers.ts';
import type { RenewalSource } from './sources.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../contract/durations.ts';

/** A CA that publishes when its certificates are to be renewed: known by us, never by what a certificate says. */
export interface RenewalAuthority {
  /** organizationName of its issuing certificates. */
  organization: string;
  /** Its ACME directory (RFC 8555 §7.1.1), which names the resource. */
  directory: string;
}

export const RENEWAL_AUTHORITIES: readonly RenewalAuthority[] = [
  { organization: "Let's Encrypt", directory: 'https://acme-v02.api.letsencrypt.org/directory' },
  { organization: 'Google Trust Services', directory: 'https://dv.acme-v02.api.pki.goog/directory' },
  { organization: 'Google Trust Services LLC', directory: 'https://dv.acme-v02.api.pki.goog/directory' },
];

export interface RenewalWay extends JsonWay {
  cache: DiskCache;
}

const UNSUPPORTED_MS = 7 * DAY_MS;
const DIRECTORY_MS = 7 * DAY_MS;
/** After no answer, and after one that makes no sense (RFC 9773 §4.3.3). */
const NOBODY_MS = 15 * MINUTE_MS;
const SENSELESS_MS = 6 * HOUR_MS;
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
type Told = z.infer<typeof storedSchema>;
type Directory = z.infer<typeof directorySchema>;

/** Asks CAs when they want certificates renewed (RFC 9773), once a day or as often as they say, and remembers it on disk. */
export function createRenewalSource(
  way: RenewalWay,
  authorities: readonly RenewalAuthority[] = RENEWAL_AUTHORITIES,
): RenewalSource {
  const { cache, ...json } = way;
  const directoryOf = createRememberedAnswers<Directory>({
    cache,
    read: (content) => directorySchema.safeParse(content).data ?? null,
    mostAtOnce: 2,
  });
  const windowOf = createRememberedAnswers<Told>({
    cache,
    read: (content) => storedSchema.safeParse(content).data ?? null,
    mostAtOnce: 8,
  });

  /** By directory, until when a CA that was asked too much wants to be left alone: ms UTC. */
  const resting = new Map<string, number>();

  const learnDirectory = async (url: string, now: number): Promise<Learned<Directory>> => {
    const said = await askForJson(url, json, { accept: ACCEPT, maxBytes: MAX_BYTES, now });
    const directory = directorySchema.safeParse(said.status === 200 ? said.content : null).data;
    if (directory !== undefined)
      return { answer: directory, askAgainAt: now + DIRECTORY_MS, isFailure: false };
    const isThere = said.status === 200;
    const askAgainAt = now + (isThere ? DAY_MS : Math.max(NOBODY_MS, clamped(said.retryAfterMs ?? 0)));
    return { answer: { renewalInfo: null }, askAgainAt, isFailure: !isThere };
  };

  const learnWindow = async (url: string, directory: string, now: number): Promise<Learned<Told>> => {
    const restsUntil = resting.get(directory) ?? 0;
    if (now < restsUntil && restsUntil <= now + DAY_MS)
      return { answer: { outcome: 'unavailable', at: now }, askAgainAt: restsUntil, isFailure: true };
    const said = await askForJson(url, json, { accept: ACCEPT, maxBytes: MAX_BYTES, now });
    const window = said.status === 200 ? parseRenewalInfo(said.body) : null;
    if (window !== null) {
      const askAgainAt = now + clamped(said.retryAfterMs ?? DAY_MS);
      return { answer: { outcome: 'window', ...window, at: now }, askAgainAt, isFailure: false };
    }
    if (said.status === 404)
      return {
        answer: { outcome: 'unsupported', at: now },
        askAgainAt: now + UNSUPPORTED_MS,
        isFailure: false,
      };
    const wait = said.status === 200 ? SENSELESS_MS : Math.max(NOBODY_MS, clamped(said.retryAfterMs ?? 0));
    // It is about who asks, not about the certificate (RFC 6585 §4, RFC 9110 §15.6.4).
    if (said.status === 429 || (said.status === 503 && said.retryAfterMs !== null))
      resting.set(directory, now + wait);
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
        ask: () => learnDirectory(directory, now),
      });
      if (found === null) return { fingerprint, at: now, outcome: 'unavailable' };
      if (found.renewalInfo === null) return { fingerprint, at: now, outcome: 'unsupported' };
      const url = `${found.renewalInfo.replace(/\/$/, '')}/${id}`;
      const told = await windowOf({
        key: `ari:${url}`,
        now,
        signal,
        ask: () => learnWindow(url, directory, now),
      });
      const evidence: RenewalEvidence = { fingerprint, ...(told ?? { outcome: 'unavailable', at: now }) };
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

/** RFC 9773 §4.3: what is under a minute or over a day is taken for those. */
function clamped(ms: number): number {
  return Math.min(Math.max(ms, MINUTE_MS), DAY_MS);
}

import type { Call } from '../../../contract/calls/call.ts';
import {
  claimIdempotencyKey,
  countStoredAnswer,
  type IdempotencyLease,
  IdempotencyLeaseLost,
  releaseKey,
  storeAnswer,
  type StoredAnswer,
} from '../../store/accounts/idempotency.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { AppContext } from './app-env.ts';
import { type Refusal, refuse, refuseTooMany } from './problem.ts';
import type { createCallLimits } from './rate-limit.ts';
import { z } from 'zod';

type Database = Parameters<typeof storeAnswer>[0];

/** Stores a handler's answer in the transaction of the change that the answer reports. */
export interface IdempotentAnswer {
  /**
   * Stores `answer` under the caller's key, if there is one. The handler's final answer replaces it, except after 403,
   * 429 and 5xx.
   */
  storeAnswer(trx: Database, answer: object): Promise<void>;
}

export const NO_IDEMPOTENCY_KEY: IdempotentAnswer = { storeAnswer: async () => undefined };

const MAX_KEY_LENGTH = 255;
const KEY_IN_USE = 'A call with this key is still running. Repeat the call in a moment to get its response.';

/**
 * Runs a call once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). Replays its response for a day, with null for
 * secrets shown only once. 403, 429, 5xx and exceptions release the key, unless a transaction has stored an answer.
 */
export async function runIdempotently(
  c: AppContext,
  { call, parts: { store, limits }, accountId, input, now }: IdempotentCall,
  handle: (idempotency: IdempotentAnswer) => Promise<Response>,
): Promise<Response | Refusal> {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return handle(NO_IDEMPOTENCY_KEY);
  if (key === '' || key.length > MAX_KEY_LENGTH || !/^[\x20-\x7e]+$/.test(key))
    return refuse(
      'invalid_request',
      `The header Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} ASCII characters.`,
    );
  const limited = limits.allow('keysByAccount', accountId);
  if (limited) return limited;
  const request = JSON.stringify([call.method, call.path, input]);
  const claim = await claimIdempotencyKey(store, { accountId, key, request, now });
  if (!claim.isClaimed) {
    if ('answer' in claim) return replay(c, call, claim.answer);
    if (claim.refused === 'idempotency_key_in_use') {
      c.header('Retry-After', '1');
      return refuse(claim.refused, KEY_IN_USE);
    }
    if (claim.refused === 'full') {
      const { retryAfterMs } = claim;
      const why = `The limit of ${store.limits.keptAnswersMb} MB of stored responses a day is reached.`;
      return refuseTooMany(
        `${why} Send the call without a key, or try again later.`,
        retryAfterMs,
        'keptAnswersMb',
      );
    }
    return refuse(claim.refused, 'Use a new key for each different call. We store keys for a day.');
  }
  return runWithKey({ call, store, lease: claim.lease, now }, handle);
}

interface IdempotentCall {
  call: Call;
  parts: { store: Store; limits: ReturnType<typeof createCallLimits> };
  accountId: string;
  /** The parsed input. Two requests whose JSON differs only in format have the same. */
  input: unknown;
  now: number;
}

/** Statuses below 500 that release the key, because a retry may succeed: 403 (address not verified yet), 429 (rate limit). */
const RETRYABLE_STATUSES: readonly number[] = [403, 429];

async function runWithKey(
  { call, store, lease, now }: { call: Call; store: Store; lease: IdempotencyLease; now: number },
  handle: (idempotency: IdempotentAnswer) => Promise<Response>,
): Promise<Response | Refusal> {
  const idempotency: IdempotentAnswer = {
    storeAnswer: (trx, answer) =>
      storeAnswer(trx, lease, {
        status: call.status,
        contentType: 'application/json',
        body: withoutShownOnce(call, JSON.stringify(answer)),
      }),
  };
  try {
    const response = await handle(idempotency);
    if (RETRYABLE_STATUSES.includes(response.status) || response.status >= 500)
      await releaseKey(store, lease);
    else {
      const contentType = response.headers.get('content-type') ?? '';
      const body = withoutShownOnce(call, await response.clone().text());
      await storeAnswer(store.db, lease, { status: response.status, contentType, body });
      await countStoredAnswer(store, lease, { body, now });
    }
    return response;
  } catch (error) {
    if (error instanceof IdempotencyLeaseLost) return refuse('idempotency_key_in_use', KEY_IN_USE);
    await releaseKey(store, lease);
    throw error;
  }
}

function replay(c: AppContext, call: Call, { status, contentType, body }: StoredAnswer): Response {
  c.header('Idempotency-Replayed', 'true');
  c.header('Content-Type', contentType);
  c.set('mayBeLenient', status >= 400);
  // Remove secrets here too: answers that an older version stored still contain them.
  return c.body(withoutShownOnce(call, body), status as 200);
}

const ANSWER = z.looseObject({ data: z.looseObject({}).optional() });

function withoutShownOnce({ shownOnce }: Call, body: string): string {
  if (shownOnce === undefined) return body;
  const answer = ANSWER.parse(JSON.parse(body));
  if (answer.data === undefined) return body;
  const withheld = Object.fromEntries(shownOnce.map((field) => [field, null]));
  return JSON.stringify({ ...answer, data: { ...answer.data, ...withheld } });
}

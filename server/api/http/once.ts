import type { Call } from '../../../contract/calls/calls.ts';
import {
  beginOnce,
  type Carrying,
  countKept,
  keepAnswer,
  type KeptAnswer,
  LostKey,
  releaseKey,
} from '../../store/accounts/idempotency.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { AppContext } from './app-env.ts';
import { refuse, refuseForNow, type Refusal } from './problem.ts';
import type { createCallLimits } from './rate-limit.ts';
import { z } from 'zod';

/** What a store's function does in its transaction, beside what it is asked for. */
type Alongside = Parameters<typeof keepAnswer>[0];

/** Lets a handler commit its answer together with what it tells of. */
export interface Once {
  /**
   * Stores this answer under the caller's key, where there is one, in the transaction of the store that calls it. What the handler
   * answers in the end replaces it.
   */
  keep(trx: Alongside, answer: object): Promise<void>;
}

export const NOT_ONCE: Once = { keep: async () => undefined };

const MOST_CHARACTERS = 255;
const IN_USE = 'A call with this key is under way. Ask again in a moment, and you get its answer.';

/**
 * Carries a call out once for each `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) and replays the answer for a day,
 * without the fields that the call shows once. Answers 403, 429 and 5xx release the key, because nothing was done; an answer that was
 * stored with a commit stays.
 */
export async function onlyOnce(
  c: AppContext,
  { call, parts: { store, limits }, accountId, input, now }: Asked,
  carryOut: (once: Once) => Promise<Response>,
): Promise<Response | Refusal> {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return carryOut(NOT_ONCE);
  if (key === '' || key.length > MOST_CHARACTERS || !/^[\x20-\x7e]+$/.test(key))
    return refuse(
      'invalid_request',
      `Send a key of 1 to ${MOST_CHARACTERS} ASCII characters (Idempotency-Key)`,
    );
  const limited = limits.allow('keysByAccount', accountId);
  if (limited) return limited;
  const request = JSON.stringify([call.method, call.path, input]);
  const beginning = await beginOnce(store, { accountId, key, request, now });
  if (!beginning.begun) {
    if ('answer' in beginning) return again(c, call, beginning.answer);
    if (beginning.refused === 'idempotency_key_in_use') {
      c.header('Retry-After', '1');
      return refuse(beginning.refused, IN_USE);
    }
    if (beginning.refused === 'full') {
      const { retryAfterMs } = beginning;
      const why = `The limit of ${store.limits.keptAnswersMb} MB of kept answers a day is reached.`;
      return refuseForNow(
        `${why} Send the call without a key, or try again later.`,
        retryAfterMs,
        'keptAnswersMb',
      );
    }
    return refuse(beginning.refused, 'Use a new key for another call. Keys are remembered for a day.');
  }
  return carried({ call, store, carrying: beginning.carrying, now }, carryOut);
}

interface Asked {
  call: Call;
  parts: { store: Store; limits: ReturnType<typeof createCallLimits> };
  accountId: string;
  /** Parsed: the same question in other words is the same. */
  input: unknown;
  now: number;
}

/** 403 (the address is not verified yet) and 429 (a limit) release the key, because a retry may succeed. */
const MAY_RETRY: readonly number[] = [403, 429];

async function carried(
  { call, store, carrying, now }: { call: Call; store: Store; carrying: Carrying; now: number },
  carryOut: (once: Once) => Promise<Response>,
): Promise<Response | Refusal> {
  const once: Once = {
    keep: (trx, answer) =>
      keepAnswer(trx, carrying, {
        status: call.status,
        contentType: 'application/json',
        body: withoutShownOnce(call, JSON.stringify(answer)),
      }),
  };
  try {
    const response = await carryOut(once);
    if (MAY_RETRY.includes(response.status) || response.status >= 500) await releaseKey(store, carrying);
    else {
      const contentType = response.headers.get('content-type') ?? '';
      const body = withoutShownOnce(call, await response.clone().text());
      await keepAnswer(store.db, carrying, { status: response.status, contentType, body });
      await countKept(store, carrying, { body, now });
    }
    return response;
  } catch (error) {
    if (error instanceof LostKey) return refuse('idempotency_key_in_use', IN_USE);
    await releaseKey(store, carrying);
    throw error;
  }
}

function again(c: AppContext, call: Call, { status, contentType, body }: KeptAnswer): Response {
  c.header('Idempotency-Replayed', 'true');
  c.header('Content-Type', contentType);
  // Answers that an older version stored still have their secrets.
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

import { createHash } from 'node:crypto';
import type { LimitName, Limits } from '../../core/index.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit } from '../../store/operations/rate-limits.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { Refusal } from '../http/problem.ts';
import { type Attempt, byClient, countAll, type Limit } from '../http/rate-limit.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../contract/durations.ts';

/** Whose outcome guards an account. */
const SIGN_IN = {
  account: { count: 10, windowMs: 15 * MINUTE_MS },
  address: { count: 50, windowMs: 15 * MINUTE_MS },
  prefix: { count: 200, windowMs: 15 * MINUTE_MS },
};
/** Three codes of a million are good at a time: fifty guesses a day find one in 18 years. */
const CODE = {
  account: { count: 10, windowMs: 15 * MINUTE_MS },
  day: { count: 50, windowMs: DAY_MS },
};
/** A code is good for a minute and a half. */
const CODE_USED = { count: 1, windowMs: 2 * MINUTE_MS };
/** Each may put a mail into somebody's box. */
const RESET = {
  account: { count: 5, windowMs: HOUR_MS },
  address: { count: 20, windowMs: HOUR_MS },
  prefix: { count: 100, windowMs: HOUR_MS },
};
const VERIFICATION = { count: 5, windowMs: HOUR_MS };
/** Each leaves a row in the database for five minutes. */
const CHALLENGE = {
  address: { count: 100, windowMs: 15 * MINUTE_MS },
  prefix: { count: 400, windowMs: 15 * MINUTE_MS },
};

interface Ask {
  client: ClientAddress;
  now: number;
}

/** Counts a sign-in before its password is judged, so that parallel guesses cannot slip through together. */
export async function beginSignIn(
  store: Store,
  { email, client, now }: Ask & { email: string },
): Promise<Attempt | Refusal> {
  return countAll(store, now, [
    ...byClient('sign-in', client, SIGN_IN),
    [`sign-in:account:${nameless(email)}`, SIGN_IN.account],
  ]);
}

/** As beginSignIn, where only the answer tells whose passkey it is. */
export const beginPasskeySignIn = (store: Store, { client, now }: Ask): Promise<Attempt | Refusal> =>
  countAll(store, now, byClient('sign-in', client, SIGN_IN));

/** Counts a guess at the password or a one-time code of `subject`, who has shown a cookie of the provider's. */
export async function beginGuess(
  store: Store,
  { at, subject, client, now }: Ask & { at: 'password' | 'code'; subject: string },
): Promise<Attempt | Refusal> {
  return countAll(store, now, [
    ...byClient('sign-in', client, SIGN_IN),
    ...(at === 'code' ? [[`code:day:${subject}`, CODE.day] as const] : []),
    [`${at}:account:${subject}`, CODE.account],
  ]);
}

/** Whether a one-time code may be judged: each is good once, though its time lasts a little longer (RFC 6238 §5.2). */
export async function isFreshCode(
  store: Store,
  { subject, code, now }: { subject: string; code: string; now: number },
): Promise<boolean> {
  const key = `code-used:${nameless(`${subject} ${code}`)}`;
  const { count: limit, windowMs } = CODE_USED;
  return (await consumeRateLimit(store, { key, limit, windowMs, now })).allowed;
}

/** Counts a sign-up by its address, then by its network, so that one address that is refused uses up nothing of its neighbours. */
export const countSignUp = (store: Store, { client, limits, now }: Ask & { limits: Limits }) => {
  const limit = (by: LimitName, windowMs: number, what: string): Limit => ({
    count: limits[by],
    windowMs,
    set: { by, what: `sign-ups ${what}` },
  });
  const { network, prefix } = client;
  return onlyCount(store, now, [
    [`sign-up:address:hour:${network}`, limit('signUpsPerHour', HOUR_MS, 'an hour from one address')],
    [`sign-up:address:day:${network}`, limit('signUpsPerDay', DAY_MS, 'a day from one address')],
    [`sign-up:prefix:hour:${prefix}`, limit('networkSignUpsPerHour', HOUR_MS, 'an hour from one network')],
    [`sign-up:prefix:day:${prefix}`, limit('networkSignUpsPerDay', DAY_MS, 'a day from one network')],
  ]);
};

/** Unknown and known addresses count alike. */
export const countReset = (store: Store, { email, client, now }: Ask & { email: string }) =>
  onlyCount(store, now, [
    ...byClient('reset', client, RESET),
    [`reset:account:${nameless(email)}`, RESET.account],
  ]);

export const countVerification = (store: Store, { accountId, now }: { accountId: string; now: number }) =>
  onlyCount(store, now, [[`verification:account:${accountId}`, VERIFICATION]]);

export const countChallenge = (store: Store, { client, now }: Ask): Promise<Refusal | null> =>
  onlyCount(store, now, byClient('challenge', client, CHALLENGE));

async function onlyCount(
  store: Store,
  now: number,
  limits: (readonly [string, Limit])[],
): Promise<Refusal | null> {
  const counted = await countAll(store, now, limits);
  return counted instanceof Refusal ? counted : null;
}

/** No address is kept in readable form. */
const nameless = (text: string) => createHash('sha256').update(text.toLowerCase()).digest('base64url');

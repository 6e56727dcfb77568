import { createHash } from 'node:crypto';
import type { LimitName, Limits } from '../../core/limits.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit } from '../../store/operations/rate-limits.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { Refusal } from '../http/problem.ts';
import { byClient, countAll, type CountedAttempt, type RateLimit } from '../http/rate-limit.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Limits on guesses at a password, passkey or code, at sign-in and later. `account` only applies to sign-ins with a password. */
const SIGN_IN = {
  account: { count: 10, windowMs: 15 * MINUTE_MS },
  address: { count: 50, windowMs: 15 * MINUTE_MS },
  prefix: { count: 200, windowMs: 15 * MINUTE_MS },
};
/**
 * Limits on checks of passwords, right or wrong. A check takes 70 to 90 ms of a processor core and 32 MB, so one address uses at
 * most 0.06 cores, and one prefix 0.18.
 */
const PASSWORD_CHECK = {
  account: { count: 30, windowMs: 15 * MINUTE_MS },
  address: { count: 40, windowMs: MINUTE_MS },
  prefix: { count: 120, windowMs: MINUTE_MS },
};
/**
 * Limits on guesses at one user's codes. At any time, three of a million one-time codes are valid: with 50 guesses a day, finding
 * one takes 18 years on average. `account` also limits guesses at a signed-in user's password.
 */
const CODE = {
  account: { count: 10, windowMs: 15 * MINUTE_MS },
  day: { count: 50, windowMs: DAY_MS },
};
/** Each one-time code may be used once. The window is longer than the 90 seconds for which a code is valid. */
const CODE_USED = { count: 1, windowMs: 2 * MINUTE_MS };
/** Limits on password resets: each may send a mail to another person. */
const RESET = {
  account: { count: 5, windowMs: HOUR_MS },
  address: { count: 20, windowMs: HOUR_MS },
  prefix: { count: 100, windowMs: HOUR_MS },
};
const VERIFICATION = { count: 5, windowMs: HOUR_MS };
/** Limits on beginning a sign-in with a passkey or OpenID provider, because each attempt stores a row for five minutes. */
const CHALLENGE = {
  address: { count: 100, windowMs: 15 * MINUTE_MS },
  prefix: { count: 400, windowMs: 15 * MINUTE_MS },
};

interface Requester {
  client: ClientAddress;
  now: number;
}

/**
 * Counts a sign-in before its password is checked, so that parallel guesses cannot exceed the limit. Returns a refusal
 * once a limit is reached.
 */
export async function beginSignIn(
  store: Store,
  { email, client, now }: Requester & { email: string },
): Promise<CountedAttempt | Refusal> {
  const account = hashed(email);
  return (
    (await countPasswordCheck(store, { account, client, now })) ??
    countAll(store, now, [
      ...byClient('sign-in', client, SIGN_IN),
      [`sign-in:account:${account}`, SIGN_IN.account],
    ])
  );
}

/**
 * Counts a passkey sign-in like `beginSignIn`, but without a limit per account, because the account is unknown until the library
 * has checked the passkey.
 */
export const beginPasskeySignIn = (
  store: Store,
  { client, now }: Requester,
): Promise<CountedAttempt | Refusal> => countAll(store, now, byClient('sign-in', client, SIGN_IN));

/**
 * Counts a guess at the password or a code (one-time or backup) of `subject`, the user whom a cookie of the provider
 * identifies. Returns a refusal once a limit is reached.
 */
export async function beginGuess(
  store: Store,
  { secret, subject, client, now }: Requester & { secret: 'password' | 'code'; subject: string },
): Promise<CountedAttempt | Refusal> {
  const limited =
    secret === 'password' ? await countPasswordCheck(store, { account: subject, client, now }) : null;
  if (limited) return limited;
  return countAll(store, now, [
    ...byClient('sign-in', client, SIGN_IN),
    ...(secret === 'code' ? [[`code:day:${subject}`, CODE.day] as const] : []),
    [`${secret}:account:${subject}`, CODE.account],
  ]);
}

/**
 * Counts a password that is about to be checked or hashed. `account` identifies the person if known. Returns a refusal once a
 * limit is reached, else null.
 */
export const countPasswordCheck = (
  store: Store,
  { account, client, now }: Requester & { account?: string },
): Promise<Refusal | null> =>
  countWithoutRefund(store, now, [
    ...byClient('password-check', client, PASSWORD_CHECK),
    ...(account === undefined
      ? []
      : [[`password-check:account:${account}`, PASSWORD_CHECK.account] as const]),
  ]);

/** Marks a one-time code as used. Returns false if it was used before: each code is accepted once (RFC 6238 §5.2). */
export async function consumeCode(
  store: Store,
  { subject, code, now }: { subject: string; code: string; now: number },
): Promise<boolean> {
  const key = `code-used:${hashed(`${subject} ${code}`)}`;
  const { count: limit, windowMs } = CODE_USED;
  return (await consumeRateLimit(store, { key, limit, windowMs, now })).allowed;
}

/**
 * Counts a sign-up for its IP address, then for its network prefix: a sign-up that the first limit refuses does not use up the
 * limit of its neighbours.
 */
export const countSignUp = (store: Store, { client, limits, now }: Requester & { limits: Limits }) => {
  const limit = (by: LimitName, windowMs: number, what: string): RateLimit => ({
    count: limits[by],
    windowMs,
    set: { by, what: `sign-ups ${what}` },
  });
  const { network, prefix } = client;
  return countWithoutRefund(store, now, [
    [`sign-up:address:hour:${network}`, limit('signUpsPerHour', HOUR_MS, 'an hour from one address')],
    [`sign-up:address:day:${network}`, limit('signUpsPerDay', DAY_MS, 'a day from one address')],
    [`sign-up:prefix:hour:${prefix}`, limit('networkSignUpsPerHour', HOUR_MS, 'an hour from one network')],
    [`sign-up:prefix:day:${prefix}`, limit('networkSignUpsPerDay', DAY_MS, 'a day from one network')],
  ]);
};

/** Counts a password reset, for known and unknown mail addresses alike, so that the limit does not reveal accounts. */
export const countReset = (store: Store, { email, client, now }: Requester & { email: string }) =>
  countWithoutRefund(store, now, [
    ...byClient('reset', client, RESET),
    [`reset:account:${hashed(email)}`, RESET.account],
  ]);

export const countVerification = (store: Store, { accountId, now }: { accountId: string; now: number }) =>
  countWithoutRefund(store, now, [[`verification:account:${accountId}`, VERIFICATION]]);

export const countChallenge = (store: Store, { client, now }: Requester): Promise<Refusal | null> =>
  countWithoutRefund(store, now, byClient('challenge', client, CHALLENGE));

async function countWithoutRefund(
  store: Store,
  now: number,
  limits: (readonly [string, RateLimit])[],
): Promise<Refusal | null> {
  const counted = await countAll(store, now, limits);
  return counted instanceof Refusal ? counted : null;
}

/** Hashes a mail address or code in lower case, so that its key in the database does not reveal it. */
const hashed = (text: string) => createHash('sha256').update(text.toLowerCase()).digest('base64url');

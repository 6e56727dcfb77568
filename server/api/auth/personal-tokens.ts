import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_PATTERN, type TokenScope } from '../../../contract/token.ts';
import { authenticateToken } from '../../store/accounts/api-tokens.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit } from '../../store/operations/rate-limits.ts';
import type { AppContext } from '../http/app-env.ts';
import { type Refusal, refuse, refuseTooMany } from '../http/problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const TOKEN_PREFIX = 'clt_';
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = TOKEN_PREFIX.length + 6;

/** Creates a token of 256 random bits, and the prefix by which its owner recognises it later. */
export function newToken(): { secret: string; prefix: string } {
  const secret = `${TOKEN_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, prefix: secret.slice(0, SHOWN_CHARACTERS) };
}

/** Returns whether a request has a personal token, valid or not. If so, its cookies are ignored. */
export const hasToken = (c: AppContext): boolean => tokenOf(c) !== null;

function tokenOf(c: AppContext): string | null {
  const value = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  return value.startsWith(TOKEN_PREFIX) ? value : null;
}

export interface ActiveToken {
  tokenId: string;
  scopes: readonly TokenScope[];
  account: Account;
}

export interface PersonalTokens {
  /**
   * Returns the request's token and account; null if it has no token. Returns a refusal if the token is invalid, or if
   * its network has sent too many invalid ones.
   */
  current(c: AppContext): Promise<ActiveToken | Refusal | null>;
}

/**
 * Limit on different invalid tokens per network, not on calls: a program that keeps sending the same expired or revoked token
 * counts once per window.
 */
const GUESSES = { count: 30, windowMs: 15 * MINUTE_MS };
const MAX_REMEMBERED = 10_000;

/**
 * Creates the authentication by `Authorization: Bearer`. Tokens in URLs are not accepted, because URLs end up in logs.
 */
export function createPersonalTokens({
  store,
  clock,
}: {
  store: Store;
  clock: { now(): number };
}): PersonalTokens {
  /** Networks whose tokens this process refuses, with the end of the block (ms UTC). */
  const blockedNetworks = new Map<string, number>();
  /** Hashes of the invalid tokens already counted, with the end of their window (ms UTC). */
  const countedTokens = new Map<string, number>();

  async function countGuess(network: string, secret: string, now: number): Promise<Refusal | null> {
    const guess = createHash('sha256').update(`${network} ${secret}`).digest('base64url');
    if ((countedTokens.get(guess) ?? 0) > now) return null;
    remember(countedTokens, guess, now + GUESSES.windowMs, now);
    const { count: limit, windowMs } = GUESSES;
    const answer = await consumeRateLimit(store, { key: `token:address:${network}`, limit, windowMs, now });
    if (answer.allowed) return null;
    remember(blockedNetworks, network, now + answer.retryAfterMs, now);
    return tooMany(answer.retryAfterMs);
  }

  return {
    async current(c) {
      const secret = tokenOf(c);
      if (secret === null) return null;
      const now = clock.now();
      const { network } = c.get('client');
      const blockedUntil = blockedNetworks.get(network) ?? 0;
      if (blockedUntil > now) return tooMany(blockedUntil - now);
      const known = TOKEN_PATTERN.test(secret) ? await authenticateToken(store, { secret, now }) : null;
      if (known !== null) return { ...known, scopes: known.scopes as readonly TokenScope[] };
      c.header('WWW-Authenticate', 'Bearer error="invalid_token"');
      return (await countGuess(network, secret, now)) ?? refuse('invalid_token', INVALID_TOKEN);
    },
  };
}

const INVALID_TOKEN = 'This token is not valid. Create a new one on your profile page.';
const tooMany = (retryAfterMs: number) =>
  refuseTooMany('Too many invalid tokens came from your address. Try again later.', retryAfterMs);

/**
 * Drops the oldest entries if they have expired, then adds `key` unless the map is full. Never evicts an entry before it expires:
 * while the map is full, the database counts every call with a new invalid token, even a repeated one.
 */
function remember(map: Map<string, number>, key: string, until: number, now: number): void {
  map.delete(key);
  for (const [known, end] of map) {
    if (end > now) break;
    map.delete(known);
  }
  if (map.size < MAX_REMEMBERED) map.set(key, until);
}

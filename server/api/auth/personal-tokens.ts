import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_PATTERN, type TokenScope } from '../../../contract/token.ts';
import { useToken } from '../../store/accounts/api-tokens.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit } from '../../store/operations/rate-limits.ts';
import type { AppContext } from '../http/app-env.ts';
import { refuse, refuseForNow, type Refusal } from '../http/problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const MARK = 'clt_';
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = MARK.length + 6;

/** 256 random bits, and how they are shown to their owner from then on. */
export function newToken(): { secret: string; prefix: string } {
  const secret = `${MARK}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, prefix: secret.slice(0, SHOWN_CHARACTERS) };
}

/** Whether a request shows a personal token, good or not. Then no cookie of it counts. */
export const showsToken = (c: AppContext): boolean => shown(c) !== null;

function shown(c: AppContext): string | null {
  const value = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  return value.startsWith(MARK) ? value : null;
}

export interface ActiveToken {
  tokenId: string;
  scopes: readonly TokenScope[];
  account: Account;
}

export interface PersonalTokens {
  /** Who the request's token stands for; null where it shows none. */
  current(c: AppContext): Promise<ActiveToken | Refusal | null>;
}

/** Wrong tokens, not calls: a program that was left with one that ended counts once in the window. */
const GUESSES = { count: 30, windowMs: 15 * MINUTE_MS };
const MOST_REMEMBERED = 10_000;

/** Personal tokens as `Authorization: Bearer`. They stand in no address, where logs would keep them. */
export function createPersonalTokens({
  store,
  clock,
}: {
  store: Store;
  clock: { now(): number };
}): PersonalTokens {
  /** Until when this process refuses tokens from a network. */
  const barred = new Map<string, number>();
  /** Hashes of wrong tokens that were counted, with the end of their window. */
  const counted = new Map<string, number>();

  async function countGuess(network: string, secret: string, now: number): Promise<Refusal | null> {
    const guess = createHash('sha256').update(`${network} ${secret}`).digest('base64url');
    if ((counted.get(guess) ?? 0) > now) return null;
    remember(counted, guess, now + GUESSES.windowMs, now);
    const { count: limit, windowMs } = GUESSES;
    const answer = await consumeRateLimit(store, { key: `token:address:${network}`, limit, windowMs, now });
    if (answer.allowed) return null;
    remember(barred, network, now + answer.retryAfterMs, now);
    return tooMany(answer.retryAfterMs);
  }

  return {
    async current(c) {
      const secret = shown(c);
      if (secret === null) return null;
      const now = clock.now();
      const { network } = c.get('client');
      const barredUntil = barred.get(network) ?? 0;
      if (barredUntil > now) return tooMany(barredUntil - now);
      const known = TOKEN_PATTERN.test(secret) ? await useToken(store, { secret, now }) : null;
      if (known !== null) return { ...known, scopes: known.scopes as readonly TokenScope[] };
      c.header('WWW-Authenticate', 'Bearer error="invalid_token"');
      return (await countGuess(network, secret, now)) ?? refuse('invalid_token', NOT_GOOD);
    },
  };
}

const NOT_GOOD = 'This token is not, or no longer, good. Make one on your profile page.';
const tooMany = (retryAfterMs: number) =>
  refuseForNow('Too many tokens from here were not good. Try again later.', retryAfterMs);

/**
 * Remembers `key` where there is room. Where there is none, newcomers are not remembered, so that nobody's entry is lost to others:
 * the database counts each of their tokens.
 */
function remember(map: Map<string, number>, key: string, until: number, now: number): void {
  map.delete(key);
  for (const [known, end] of map) {
    if (end > now) break;
    map.delete(known);
  }
  if (map.size < MOST_REMEMBERED) map.set(key, until);
}

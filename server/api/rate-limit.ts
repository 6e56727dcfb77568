import { createHash } from 'node:crypto';
import type { Store } from '../store/open-store.ts';
import { consumeRateLimit, refundRateLimit } from '../store/rate-limits.ts';
import type { ClientAddress } from './client-address.ts';
import { refuseForNow, type Refusal } from './problem.ts';

interface Limit {
  count: number;
  windowMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Attempts whose outcome guards an account; counted in the database, so that every process and restart knows them. */
const SIGN_IN = {
  account: { count: 10, windowMs: 15 * MINUTE_MS },
  address: { count: 50, windowMs: 15 * MINUTE_MS },
  prefix: { count: 200, windowMs: 15 * MINUTE_MS },
};
const SIGN_UP = {
  address: { count: 100, windowMs: HOUR_MS },
  prefix: { count: 400, windowMs: HOUR_MS },
};

/** Only to keep one caller from crowding out the others: counted in memory, per process. */
const CALL_LIMITS = {
  byAddress: { count: 1_200, windowMs: MINUTE_MS },
  bySession: { count: 600, windowMs: MINUTE_MS },
  addByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByDomain: { count: 6, windowMs: MINUTE_MS },
};

const DETAIL = 'Too many attempts. Please wait a moment and try again.';

interface Attempt {
  /** Gives the attempt back: it succeeded, so it was no guess. */
  succeeded(): Promise<void>;
}

/** Counts a sign-in before its password is judged, so that parallel guesses cannot slip through together. */
export async function beginSignIn(
  store: Store,
  { email, client, now }: { email: string; client: ClientAddress; now: number },
): Promise<Attempt | Refusal> {
  // Unknown and known addresses count alike, and no address is kept in readable form.
  const account = createHash('sha256').update(email.toLowerCase()).digest('base64url');
  return consumeAll(store, now, [
    [`sign-in:prefix:${client.prefix}`, SIGN_IN.prefix],
    [`sign-in:address:${client.address}`, SIGN_IN.address],
    [`sign-in:account:${account}`, SIGN_IN.account],
  ]);
}

export async function countSignUp(store: Store, client: ClientAddress, now: number): Promise<Refusal | null> {
  const counted = await consumeAll(store, now, [
    [`sign-up:prefix:${client.prefix}`, SIGN_UP.prefix],
    [`sign-up:address:${client.address}`, SIGN_UP.address],
  ]);
  return 'code' in counted ? counted : null;
}

async function consumeAll(store: Store, now: number, limits: [string, Limit][]): Promise<Attempt | Refusal> {
  for (const [key, { count, windowMs }] of limits) {
    const consumed = await consumeRateLimit(store, { key, limit: count, windowMs, now });
    if (!consumed.allowed) return refuseForNow(DETAIL, consumed.retryAfterMs);
  }
  return {
    async succeeded() {
      for (const [key] of limits) await refundRateLimit(store, { key });
    },
  };
}

/** Fixed windows in memory. `allow` answers null, or the refusal. */
export function createCallLimits(clock: { now(): number }) {
  const windows = new Map<string, { endsAt: number; count: number }>();
  return {
    allow(name: keyof typeof CALL_LIMITS, who: string): Refusal | null {
      const now = clock.now();
      const { count, windowMs } = CALL_LIMITS[name];
      const key = `${name}:${who}`;
      let window = windows.get(key);
      if (window === undefined || window.endsAt <= now) {
        if (windows.size >= MAX_WINDOWS) dropEnded(windows, now);
        window = { endsAt: now + windowMs, count: 0 };
        windows.set(key, window);
      }
      window.count += 1;
      return window.count > count ? refuseForNow(DETAIL, window.endsAt - now) : null;
    },
  };
}

/** About 20 MB. Past it, what still runs is forgotten too: limits fail open before memory does. */
const MAX_WINDOWS = 100_000;

function dropEnded(windows: Map<string, { endsAt: number }>, now: number): void {
  for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
  if (windows.size >= MAX_WINDOWS) windows.clear();
}

import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import {
  endSession,
  openSession,
  rotateSession,
  type SeenFrom,
  sessionBy,
} from '../../store/accounts/sessions.ts';
import type { AppContext } from '../http/app-env.ts';
import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';

const ACCESS_MS = 15 * MINUTE_MS;
const REFRESH_IDLE_MS = 14 * DAY_MS;
const REFRESH_MS = 30 * DAY_MS;
/** A browser's tabs, and a retry after a lost answer, may show the token before last for this long. */
const GRACE_MS = 10_000;
const SECRET_BYTES = 32;

export interface ActiveSession {
  sessionId: string;
  account: Account;
}

export interface Sessions {
  /** Of the access cookie. */
  cookieName: string;
  /**
   * Opens a session in the place of the one that the request shows, which ends. Answers its id; null where somebody proved to own the
   * account's address since it was read.
   */
  open(c: AppContext, account: Account): Promise<string | null>;
  /** Of the access cookie; null when there is none that is good. */
  current(c: AppContext): Promise<ActiveSession | null>;
  /** Of either cookie: a quarter of an hour after the last refresh only the refresh cookie is left. Uses up neither. */
  shown(c: AppContext): Promise<ActiveSession | null>;
  /** Whether the request has a cookie of a session at all, good or not. */
  isShown: (c: AppContext) => boolean;
  /** Trades the refresh cookie for new cookies. Returns null, and leaves all cookies as they are, when it is not good. */
  refresh(c: AppContext): Promise<ActiveSession | null>;
  /** Ends the session of whichever cookie proves it, and drops both. */
  end(c: AppContext): Promise<void>;
  dropCookies(c: AppContext): void;
}

/**
 * The product's own sessions: two opaque tokens of the form `sessionId.secret`, of which the database has hashes only.
 * A refresh derives both next secrets from the shown one with a key of the server's. So the same successors can be
 * given again to a second tab within the grace time, though they are stored nowhere.
 */
export function createSessions(options: {
  store: Store;
  secret: string;
  clock: { now(): number };
  /** False where plain http is allowed: `__Host-` and Secure need https or localhost. */
  secureCookies: boolean;
}): Sessions {
  const { store, secret, clock, secureCookies } = options;
  const derive = (use: 'access' | 'refresh', token: Token) =>
    createHmac('sha256', secret).update(`${use} ${token.sessionId} ${token.secret}`).digest('base64url');

  const cookieName = (use: 'session' | 'refresh') => `${secureCookies ? '__Host-' : ''}certlantern-${use}`;
  const write = (c: AppContext, use: 'session' | 'refresh', value: string, maxAgeMs: number) =>
    setCookie(c, cookieName(use), value, {
      path: '/',
      httpOnly: true,
      secure: secureCookies,
      sameSite: 'Lax',
      maxAge: maxAgeMs / 1000,
    });
  const read = (c: AppContext, use: 'session' | 'refresh') => parseToken(getCookie(c, cookieName(use)));
  const give = (c: AppContext, sessionId: string, access: string, refresh: string) => {
    write(c, 'session', `${sessionId}.${access}`, ACCESS_MS);
    write(c, 'refresh', `${sessionId}.${refresh}`, REFRESH_IDLE_MS);
  };

  async function rotate(c: AppContext) {
    const token = read(c, 'refresh');
    if (token === null) return null;
    const now = clock.now();
    const [access, refresh] = [derive('access', token), derive('refresh', token)];
    const rotation = await rotateSession(store, {
      sessionId: token.sessionId,
      refreshHash: hash(token.secret),
      nextAccessHash: hash(access),
      nextRefreshHash: hash(refresh),
      accessExpiresAt: now + ACCESS_MS,
      refreshIdleExpiresAt: now + REFRESH_IDLE_MS,
      seenFrom: seenFrom(c),
      now,
      graceMs: GRACE_MS,
    });
    if (rotation.outcome === 'revoked' || rotation.outcome === 'unknown') return null;
    return { session: { sessionId: token.sessionId, account: rotation.account }, access, refresh };
  }

  async function endShown(c: AppContext): Promise<void> {
    // A refresh token that is older than the last one ends the session too.
    const session = (await sessions.current(c)) ?? (await rotate(c))?.session ?? null;
    if (session !== null) await endSession(store, session.sessionId);
  }

  const sessions: Sessions = {
    cookieName: cookieName('session'),

    async open(c, { id: accountId, emailVerified }) {
      await endShown(c);
      const now = clock.now();
      const sessionId = randomUUID();
      const access = randomBytes(SECRET_BYTES).toString('base64url');
      const refresh = randomBytes(SECRET_BYTES).toString('base64url');
      const opened = await openSession(store, {
        sessionId,
        accountId,
        accessHash: hash(access),
        refreshHash: hash(refresh),
        accessExpiresAt: now + ACCESS_MS,
        refreshIdleExpiresAt: now + REFRESH_IDLE_MS,
        refreshExpiresAt: now + REFRESH_MS,
        seenFrom: seenFrom(c),
        emailVerified,
        now,
      });
      if (!opened) return null;
      give(c, sessionId, access, refresh);
      return sessionId;
    },

    async current(c) {
      const token = read(c, 'session');
      if (token === null) return null;
      return sessionBy(store, {
        sessionId: token.sessionId,
        accessHash: hash(token.secret),
        now: clock.now(),
      });
    },

    async shown(c) {
      const current = await sessions.current(c);
      const token = current === null ? read(c, 'refresh') : null;
      if (token === null) return current;
      const { sessionId, secret: refreshSecret } = token;
      return sessionBy(store, { sessionId, refreshHash: hash(refreshSecret), now: clock.now() });
    },

    isShown: (c) => read(c, 'session') !== null || read(c, 'refresh') !== null,

    async refresh(c) {
      const rotated = await rotate(c);
      // Refused, the cookies stay: another tab may have signed in meanwhile, and this answer would drop what that gave.
      if (rotated !== null) give(c, rotated.session.sessionId, rotated.access, rotated.refresh);
      return rotated?.session ?? null;
    },

    async end(c) {
      await endShown(c);
      sessions.dropCookies(c);
    },

    dropCookies(c) {
      write(c, 'session', '', 0);
      write(c, 'refresh', '', 0);
    },
  };
  return sessions;
}

const seenFrom = (c: AppContext): SeenFrom => ({
  userAgent: c.req.header('user-agent') ?? '',
  address: c.get('client').shown,
});

interface Token {
  sessionId: string;
  secret: string;
}

function parseToken(cookie: string | undefined): Token | null {
  const match = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/.exec(cookie ?? '');
  return match?.[1] && match[2] ? { sessionId: match[1], secret: match[2] } : null;
}

/** The secrets are 256 random bits: nothing slower than one SHA-256 is needed to keep them unguessable. */
const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

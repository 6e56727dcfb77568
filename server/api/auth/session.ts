import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import {
  endSession,
  findSession,
  openSession,
  rotateSession,
  type SessionClient,
} from '../../store/accounts/sessions.ts';
import type { AppContext } from '../http/app-env.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

const ACCESS_MS = 15 * MINUTE_MS;
const REFRESH_IDLE_MS = 14 * DAY_MS;
const REFRESH_MS = 30 * DAY_MS;
/** Time in ms for which the previous refresh token still works, for parallel tabs and for retries after a lost response. */
const GRACE_MS = 10_000;
const SECRET_BYTES = 32;
/** Header with the seconds until the access cookie expires, so that a page refreshes the session before a call would fail. */
const EXPIRES_IN = 'Session-Expires-In';

export interface ActiveSession {
  sessionId: string;
  account: Account;
}

export interface Sessions {
  /** Name of the access cookie. */
  cookieName: string;
  /**
   * Ends the request's earlier session, opens one for a person who signed in at `signedInAt` (ms UTC), and sets its cookies.
   * Returns its id. Returns null and opens none if the account was deleted or its address verified after `account` was read.
   */
  open(c: AppContext, account: Account, signedInAt: number): Promise<string | null>;
  /** Returns the session of the access cookie; null if the cookie is missing, invalid or expired. */
  current(c: AppContext): Promise<ActiveSession | null>;
  /**
   * Returns the session of the access cookie, else that of the refresh cookie: the browser deletes the access cookie 15 minutes
   * after a refresh. Returns null if neither is valid. Does not use up the refresh cookie.
   */
  ofEitherCookie(c: AppContext): Promise<ActiveSession | null>;
  /** Returns whether the request has an access or refresh cookie, valid or not. */
  hasCookie: (c: AppContext) => boolean;
  /** Exchanges the refresh cookie for new cookies. If it is invalid, returns null and does not change the cookies. */
  refresh(c: AppContext): Promise<ActiveSession | null>;
  /** Ends the session of the access or refresh cookie, and deletes both cookies. */
  end(c: AppContext): Promise<void>;
  dropCookies(c: AppContext): void;
}

interface SessionOptions {
  store: Store;
  secret: string;
  clock: { now(): number };
  /** Whether cookies are `__Host-` and Secure, which needs https or localhost. */
  secureCookies: boolean;
}

/**
 * Creates the functions that manage our sessions. A session has an access and a refresh token (`sessionId.secret`), stored as
 * hashes. A refresh derives both new secrets from the old one (HMAC-SHA256), so a second tab gets the same ones within GRACE_MS.
 */
export function createSessions(options: SessionOptions): Sessions {
  const { store, clock, secureCookies } = options;
  const cookies = createSessionCookies(secureCookies);

  const rotate = async (c: AppContext) => {
    const token = cookies.read(c, 'refresh');
    return token && rotateTokens(options, token, seenFrom(c));
  };

  async function endEarlier(c: AppContext): Promise<void> {
    // If the refresh token was replaced longer ago than GRACE_MS, rotate() has ended the session and returns null.
    const session = (await sessions.current(c)) ?? (await rotate(c))?.session ?? null;
    if (session !== null) await endSession(store, session.sessionId);
  }

  const sessions: Sessions = {
    cookieName: cookies.name('session'),

    async open(c, { id: accountId, emailVerified }, signedInAt) {
      await endEarlier(c);
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
        refreshExpiresAt: signedInAt + REFRESH_MS,
        seenFrom: seenFrom(c),
        emailVerified,
        signedInAt,
      });
      if (!opened) return null;
      cookies.write(c, { sessionId, access, refresh });
      return sessionId;
    },

    async current(c) {
      const token = cookies.read(c, 'session');
      if (token === null) return null;
      const now = clock.now();
      const accessHash = hash(token.secret);
      const found = await findSession(store, { sessionId: token.sessionId, accessHash, now });
      if (found === null) return null;
      const { accessExpiresAt, ...session } = found;
      // Event streams check their session after their headers were sent; setting another header would then throw.
      if (!c.finalized) c.header(EXPIRES_IN, String(Math.floor((accessExpiresAt - now) / 1000)));
      return session;
    },

    async ofEitherCookie(c) {
      const current = await sessions.current(c);
      const token = current === null ? cookies.read(c, 'refresh') : null;
      if (token === null) return current;
      c.header(EXPIRES_IN, '0');
      const { sessionId, secret: refreshSecret } = token;
      return findSession(store, { sessionId, refreshHash: hash(refreshSecret), now: clock.now() });
    },

    hasCookie: (c) => cookies.read(c, 'session') !== null || cookies.read(c, 'refresh') !== null,

    async refresh(c) {
      const rotated = await rotate(c);
      // Do not change the cookies after a refusal: another tab may have signed in meanwhile, and its cookies must stay.
      if (rotated !== null) cookies.write(c, rotated.tokens);
      return rotated?.session ?? null;
    },

    async end(c) {
      await endEarlier(c);
      cookies.drop(c);
    },

    dropCookies: (c) => cookies.drop(c),
  };
  return sessions;
}

/** Exchanges a refresh token for new tokens. Returns null if it is not valid. */
async function rotateTokens(
  { store, secret, clock }: SessionOptions,
  token: Token,
  client: SessionClient,
): Promise<{
  session: ActiveSession;
  tokens: { sessionId: string; access: string; refresh: string };
} | null> {
  const derive = (use: 'access' | 'refresh') =>
    createHmac('sha256', secret).update(`${use} ${token.sessionId} ${token.secret}`).digest('base64url');
  const { sessionId } = token;
  const now = clock.now();
  const [access, refresh] = [derive('access'), derive('refresh')];
  const rotation = await rotateSession(store, {
    sessionId,
    refreshHash: hash(token.secret),
    nextAccessHash: hash(access),
    nextRefreshHash: hash(refresh),
    accessExpiresAt: now + ACCESS_MS,
    refreshIdleExpiresAt: now + REFRESH_IDLE_MS,
    seenFrom: client,
    now,
    graceMs: GRACE_MS,
  });
  if (rotation.outcome === 'revoked' || rotation.outcome === 'unknown') return null;
  return { session: { sessionId, account: rotation.account }, tokens: { sessionId, access, refresh } };
}

type CookieUse = 'session' | 'refresh';

/** Creates the functions that read, set and clear the two cookies with a session's tokens. */
function createSessionCookies(areSecure: boolean) {
  const name = (use: CookieUse): string => `${areSecure ? '__Host-' : ''}certlantern-${use}`;
  const set = (c: AppContext, use: CookieUse, value: string, maxAgeMs: number): void =>
    setCookie(c, name(use), value, {
      path: '/',
      httpOnly: true,
      secure: areSecure,
      sameSite: 'Lax',
      maxAge: maxAgeMs / 1000,
    });
  return {
    name,
    read: (c: AppContext, use: CookieUse): Token | null => parseToken(getCookie(c, name(use))),
    write(c: AppContext, tokens: { sessionId: string; access: string; refresh: string }): void {
      set(c, 'session', `${tokens.sessionId}.${tokens.access}`, ACCESS_MS);
      set(c, 'refresh', `${tokens.sessionId}.${tokens.refresh}`, REFRESH_IDLE_MS);
      c.header(EXPIRES_IN, String(ACCESS_MS / 1000));
    },
    drop(c: AppContext): void {
      set(c, 'session', '', 0);
      set(c, 'refresh', '', 0);
      c.header(EXPIRES_IN, undefined);
    },
  };
}

const seenFrom = (c: AppContext): SessionClient => ({
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

/** Hashes a secret. One SHA-256 is enough, because secrets have 256 random bits; passwords would need a slow hash. */
const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

import { expect, onTestFinished } from 'vitest';
import type { AppOptions } from '../../server/api/app-options.ts';
import { createApp } from '../../server/api/app.ts';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { connectTestMode } from '../../server/api/billing/payment-webhook.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createIdentityProvider } from '../../server/providers/identity/built-in.ts';
import { signUpPolicy } from '../../server/providers/identity/invite.ts';
import { createPayments } from '../../server/providers/payments/create-payments.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { addCast, type Cast } from '../kit/product/cast.ts';
import type { Send } from '../kit/product/people.ts';
import { CACHED_PASSWORD_HASHING } from '../kit/product/cached-passwords.ts';

export const SECRETS = {
  session: 'session-secret-of-the-tests-0123456789abcdef',
  identity: 'identity-secret-of-the-tests-9876543210fedcba',
  mailPage: 'mail-page-key-of-the-tests-0123456789abcdef',
  invite: 'invite-secret-of-the-tests-0123456789abcdef',
};

export interface TestApi {
  store: Store;
  /**
   * Starts at the machine's time, because the identity provider's library reads that. Each reading moves it by 1 ms, so that
   * no two events have the same time. Apart from that, only tests move it: even on a slow machine, the minute of a rate limit
   * does not end in the middle of a test.
   */
  clock: {
    now(): number;
    monotonic(): number;
    advance(ms: number): void;
    /** Sets the date forwards or, with a negative number, back. The monotonic clock stays. */
    jump(ms: number): void;
  };
  /** Request handler, for tests that start a real HTTP server. */
  fetch: ReturnType<typeof createApp>['fetch'];
  /** All routes of the app. */
  routes: ReturnType<typeof createApp>['routes'];
  send: Send;
  /** Returns a `Send` whose requests come from this socket address. */
  sendFrom(address: string): Send;
  cast(options?: Parameters<typeof addCast>[1]): Promise<Cast>;
}

type Overrides = Partial<Omit<AppOptions, 'config'>> & {
  config?: Partial<AppOptions['config']>;
  /** OpenID providers for the built-in identity provider. */
  openId?: { id: string; name: string; issuer: string; clientId: string; clientSecret: string }[];
};

/** Starts the app on an empty database. A request that fails for an unexpected reason fails the test. */
export async function startApi(open: () => Promise<Store>, overrides: Overrides = {}): Promise<TestApi> {
  const store = await open();
  let now = Date.now();
  let jumpedMs = 0;
  const clock = {
    now: () => now++,
    monotonic: () => now++ - jumpedMs,
    advance: (ms: number) => {
      now += ms;
    },
    jump: (ms: number) => {
      now += ms;
      jumpedMs += ms;
    },
  };
  const failures: unknown[] = [];
  const note = (...entry: unknown[]) => void failures.push(entry);
  onTestFinished(() => expect(failures).toEqual([]));
  const log = overrides.log ?? { info: note, warn: note, error: note };

  const publicUrl = overrides.config?.publicUrl ?? new URL('http://localhost:8080');
  const { openId = [] } = overrides;
  const signups = overrides.config?.signups ?? 'open';
  const app: ReturnType<typeof createApp> = createApp({
    store,
    identity: createIdentityProvider({
      database: store.identityDatabase,
      secret: SECRETS.identity,
      passwords: CACHED_PASSWORD_HASHING,
      publicUrl,
      productName: 'Certlantern',
      events: createIdentityEvents({ store, publicUrl, clock }),
      oidc: {
        providers: openId,
        maySignUp: signUpPolicy({ signups, secret: SECRETS.invite, now: clock.now }),
      },
      log,
      now: clock.now,
      monotonic: clock.monotonic,
    }),
    payments: await createPayments(
      { mode: 'test' },
      {
        clock,
        test: { publicUrl, ...connectTestMode({ store, sessionSecret: SECRETS.session, app: () => app }) },
      },
    ),
    secrets: SECRETS,
    clock,
    policy: {
      permits: (ip) => ip === '192.0.2.10',
      opens: () => false,
      permitsLocalNames: false,
      isLocalName: () => false,
    },
    isInDns: async () => true,
    channelPolicy: { permits: (ip) => ip === '192.0.2.10', opens: () => false, permitsLocalNames: false },
    log,
    webRoot: '/nonexistent',
    mailFolder: null,
    ...overrides,
    timing: { firstCheckMs: 0, previewMs: 0, heartbeatMs: 20, ...overrides.timing },
    config: {
      publicUrl,
      publicUrlIsDefault: true,
      trustedProxies: [],
      signups,
      tryIt: signups === 'open',
      forecasts: true,
      limits: STANDARD_LIMITS,
      insecureHttp: false,
      firebase: null,
      oidc: openId,
      billing: { mode: 'test' },
      metricsToken: null,
      analyticsId: null,
      supportEmail: 'support@example.test',
      productName: 'Certlantern',
      demoHosts: [],
      ...overrides.config,
    },
  });
  const sendFrom =
    (remoteAddress: string): Send =>
    async (path, init) =>
      app.request(new URL(path, publicUrl).href, init, { incoming: { socket: { remoteAddress } } });
  const address = '198.51.100.7';
  const send = sendFrom(address);
  const secureCookies = !(overrides.config?.insecureHttp && publicUrl.protocol === 'http:');
  return {
    store,
    clock,
    fetch: app.fetch,
    routes: app.routes,
    send,
    sendFrom,
    cast: (options) =>
      addCast({ store, send, address, sessionSecret: SECRETS.session, secureCookies, clock }, options),
  };
}

import type { Hono } from 'hono';
import { html } from 'hono/html';
import { createApi, type AppParts } from './http/api.ts';
import { publishedPage } from '../store/publishing/status-pages.ts';
import { isDiskFull, isOutage, tookTooLong } from '../store/db/open-store.ts';
import { countingOnly, createReadiness } from '../telemetry/index.ts';
import type { AppEnv } from './http/app-env.ts';
import { DEFAULT_TIMING, type AppOptions } from './app-options.ts';
import { bodyLimits } from './http/body-limits.ts';
import { createClientAddressReader } from './http/client-address.ts';
import { refuseForeignOrigin, refusePlainHttp } from './http/own-origin.ts';
import { createPersonalTokens, showsToken } from './auth/personal-tokens.ts';
import { plainRefusal, problemResponse, Refusal, refuse } from './http/problem.ts';
import { publicConfigOf } from './http/public-settings.ts';
import { metricsRoutes } from './operations/metrics.ts';
import { createCallLimits } from './http/rate-limit.ts';
import { isBelowApi, refusalResponse, refuseLongPath } from './http/request-path.ts';
import { watchRequests } from './http/request-watch.ts';
import { accountMetricsRoute } from './operations/account-metrics-routes.ts';
import { alertRoutes } from './alerts/alerts-routes.ts';
import { authorityRoutes } from './domains/authorities-routes.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { badgeImages, badgeRoutes } from './publishing/badge-routes.ts';
import { calendarRoutes } from './publishing/calendar-routes.ts';
import { channelRoutes } from './alerts/channels-routes.ts';
import { deliveryRoutes } from './alerts/deliveries-routes.ts';
import { deploymentRoutes } from './http/deployment-routes.ts';
import { devMailRoutes } from './operations/dev-mail-routes.ts';
import { docsRoutes } from './documentation/docs-routes.ts';
import { domainRoutes } from './domains/domain-routes.ts';
import { eventRoutes } from './http/events-routes.ts';
import { exportRoutes } from './auth/export-routes.ts';
import { faviconRoutes } from './domains/favicon-routes.ts';
import { feedbackRoutes } from './operations/feedback-routes.ts';
import { glanceRoutes } from './domains/glance-routes.ts';
import { identityRoutes } from './auth/identity-routes.ts';
import { incidentRoutes } from './alerts/incidents-routes.ts';
import { maintenanceRoutes } from './alerts/maintenance-routes.ts';
import { oidcRoutes } from './auth/oidc-routes.ts';
import { paymentRoutes } from './billing/payment-routes.ts';
import { planRoutes } from './billing/plan-routes.ts';
import { sessionRoutes } from './auth/sessions-routes.ts';
import { tokenRoutes } from './auth/tokens-routes.ts';
import { limitStatusPages, statusRoutes } from './publishing/status-routes.ts';
import { mailReaderRoutes } from './alerts/unsubscribe-routes.ts';
import { userRoutes } from './auth/user-routes.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createSessions } from './auth/session.ts';
import { staticPages } from './http/static-pages.ts';
import { createThisMachine } from './http/this-machine.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The whole HTTP side: the API below /api, the built pages on everything else. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { store, config, clock, secrets, log } = options;
  const secureCookies = !(config.insecureHttp && config.publicUrl.protocol === 'http:');
  const sessions = createSessions({ store, clock, secret: secrets.session, secureCookies });
  const parts: AppParts = {
    ...options,
    timing: { ...DEFAULT_TIMING, ...options.timing },
    telemetry: options.telemetry ?? countingOnly(),
    readiness: options.readiness ?? createReadiness(),
    sessions,
    tokens: createPersonalTokens({ store, clock }),
    limits: createCallLimits(clock, config.limits),
    thisMachine: createThisMachine(options),
  };
  const api = createApi(parts);
  const { app } = api;

  guard(app, parts);
  app.onError((error, c) => {
    if (isOutage(error)) {
      log.error({ err: error, requestId: c.get('requestId') }, 'The database does not answer');
      return problemResponse(
        c,
        refuse('unavailable', 'The database does not answer. Try again in a moment.'),
      );
    }
    if (isDiskFull(error)) {
      log.error({ err: error, requestId: c.get('requestId') }, 'The disk of the database is full');
      return problemResponse(
        c,
        refuse('unavailable', 'The disk of this server is full: nothing can be saved until there is room.'),
      );
    }
    if (tookTooLong(error)) {
      const { searchSeconds } = config.limits;
      const detail = `The limit of ${searchSeconds} seconds for one search is reached. Search for something shorter.`;
      return problemResponse(c, new Refusal('unavailable', detail, { limit: 'searchSeconds' }));
    }
    log.error({ err: error, requestId: c.get('requestId') }, 'A request failed');
    return problemResponse(c, refuse('internal', 'The fault is ours and has been written down.'));
  });

  authRoutes(api, parts);
  identityRoutes(api, parts);
  oidcRoutes(api, parts);
  userRoutes(api, parts);
  sessionRoutes(api, parts);
  tokenRoutes(api, parts);
  exportRoutes(api, parts);
  authorityRoutes(api, parts);
  feedbackRoutes(api, parts);
  planRoutes(api, parts);
  domainRoutes(api, parts);
  channelRoutes(api, parts);
  deliveryRoutes(api, parts);
  alertRoutes(api, parts);
  calendarRoutes(api, parts);
  maintenanceRoutes(api, parts);
  incidentRoutes(api, parts);
  mailReaderRoutes(api, parts);
  paymentRoutes(api, parts);
  eventRoutes(api, parts);
  faviconRoutes(api, parts);
  glanceRoutes(api, parts);
  statusRoutes(api, parts);
  badgeRoutes(api, parts);
  accountMetricsRoute(api, parts);
  deploymentRoutes(api, parts);
  docsRoutes(api, parts);
  app.all('/api/*', (c) => problemResponse(c, refuse('not_found', 'There is no such call.')));

  badgeImages(app, parts);
  limitStatusPages(app, parts);
  devMailRoutes(app, parts);
  metricsRoutes(app, parts);
  staticPages(app, {
    webRoot: options.webRoot,
    publicUrl: config.publicUrl,
    publicConfig: publicConfigOf(config),
    maybeSignedIn: sessions.isShown,
    isSignedIn: async (c) => (await sessions.shown(c)) !== null,
    statusPage: (slug) => publishedPage(store, slug),
  });
  return app;
}

/** Tells a one-click unsubscribe (RFC 8058): mail programs post it from any origin, without cookies; only the token in its path counts. */
function isOneClick({ method, path }: { method: string; path: string }): boolean {
  return method === 'POST' && /^\/api\/unsubscribe\/[^/]+$/.test(path);
}

/** Checks every request before its route runs: path length, rate, https, and below /api also origin and size. */
function guard(app: Hono<AppEnv>, parts: AppParts): void {
  const { config, limits, thisMachine, telemetry, requestLog } = parts;
  const headersFor = securityHeaders(config);
  const clients = createClientAddressReader(config.trustedProxies);

  watchRequests(app, { clients, telemetry, requestLog: requestLog ?? null });
  app.use('*', async (c, next) => {
    thisMachine.observe(c);
    const tooLong = refuseLongPath(c, config.limits);
    for (const [name, value] of headersFor(tooLong === null ? c.req.path : '')) c.header(name, value);
    if (tooLong !== null) return refusalResponse(c, tooLong);
    c.set('client', clients.read(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')));
    const limited = isBelowApi(c.req.path) ? null : limits.allow('pagesByAddress', c.get('client').network);
    if (limited) return plainRefusal(c, limited);
    const plainHttp = /^\/api\/health(?:\/|$)/.test(c.req.path)
      ? null
      : refusePlainHttp(c.req.header('host'), config);
    if (plainHttp === null) return next();
    if (isBelowApi(c.req.path)) return problemResponse(c, plainHttp);
    return c.html(
      html`<!doctype html><title>https is missing</title>
        <h1>https is missing</h1>
        <p>${plainHttp.detail}</p>`,
      403,
    );
  });

  app.use('/api/*', async (c, next) => {
    const limited = limits.allowInTheOpen(c, 'byAddress', c.get('client').network);
    if (limited) return problemResponse(c, limited);
    const foreign =
      SAFE_METHODS.has(c.req.method) || isOneClick(c.req) || showsToken(c)
        ? null
        : refuseForeignOrigin(
            {
              host: c.req.header('host'),
              origin: c.req.header('origin'),
              secFetchSite: c.req.header('sec-fetch-site'),
            },
            config,
          );
    return foreign === null ? next() : problemResponse(c, foreign);
  });
  app.use('/api/*', bodyLimits());
}

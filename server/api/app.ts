import type { Hono, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { type Api, type AppParts, createApi } from './http/api.ts';
import { findPublicPage } from '../store/publishing/status-pages.ts';
import { isDatabaseOutage, isStatementTimeout, storageFaultOf } from '../store/db/dialect.ts';
import { metricsOnly } from '../telemetry/metrics.ts';
import { createReadiness } from '../telemetry/readiness.ts';
import { createAccountAnswers } from './http/answer-cache.ts';
import type { AppContext, AppEnv } from './http/app-env.ts';
import { type AppOptions, DEFAULT_TIMING } from './app-options.ts';
import { createClientAddressReader } from './http/client-address.ts';
import { refuseForeignOrigin, refusePlainHttp } from './http/own-origin.ts';
import { createPersonalTokens, hasToken } from './auth/personal-tokens.ts';
import { problemResponse, Refusal, refuse } from './http/problem.ts';
import { deploymentRoutes, publicConfigOf } from './http/public-settings.ts';
import { metricsRoutes } from './operations/metrics.ts';
import { createReceivingLimit } from './http/open-connections.ts';
import { createCallLimits } from './http/rate-limit.ts';
import { errorResponse, isBelowApi, recordRequests, refuseLongPath } from './http/request-telemetry.ts';
import { STORAGE_FAULTS } from './operations/health.ts';
import { accountMetricsRoute } from './operations/account-metrics-routes.ts';
import { alertRoutes } from './alerts/alerts-routes.ts';
import { authorityRoutes } from './domains/authorities-routes.ts';
import { authRoutes, oidcRoutes, userRoutes } from './auth/auth-routes.ts';
import { badgeImageRoutes, badgeRoutes } from './publishing/badge-routes.ts';
import { calendarRoutes } from './publishing/calendar-routes.ts';
import { channelRoutes } from './alerts/channels-routes.ts';
import { deliveryRoutes } from './alerts/deliveries-routes.ts';
import { devMailRoutes } from './operations/dev-mail-routes.ts';
import { docsRoutes } from './documentation/docs-page.ts';
import { eventRoutes } from './http/event-streams.ts';
import { exportRoutes } from './auth/export-routes.ts';
import { domainUptimeRoute, faviconRoutes, oneDomainRoutes } from './domains/one-domain-routes.ts';
import { feedbackRoutes } from './operations/feedback-routes.ts';
import { previewCheckRoutes } from './domains/preview-check-routes.ts';
import { identityRoutes } from './auth/identity-routes.ts';
import { incidentRoutes } from './alerts/incidents-routes.ts';
import { maintenanceRoutes } from './alerts/maintenance-routes.ts';
import { paymentRoutes } from './billing/payment-routes.ts';
import { planRoutes } from './billing/plan-routes.ts';
import { sessionRoutes } from './auth/sessions-routes.ts';
import { tokenRoutes } from './auth/tokens-routes.ts';
import { limitStatusPages, statusRoutes } from './publishing/status-routes.ts';
import { unsubscribeRoutes } from './alerts/unsubscribe-routes.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createSessions } from './auth/session.ts';
import { staticPageRoutes } from './http/static-pages.ts';
import { createLocalAccess } from './http/local-access.ts';
import { certificateRoutes } from './domains/certificate-routes.ts';
import { deadlineRoutes } from './domains/deadline-routes.ts';
import { domainAddRoutes } from './domains/domain-add-routes.ts';
import { domainActionRoutes } from './domains/domain-action-routes.ts';
import { domainImportRoutes } from './domains/domain-import-routes.ts';
import { domainListRoutes } from './domains/domain-list-routes.ts';
import { domainReportRoutes } from './domains/domain-report-routes.ts';
import { bodyLimit } from 'hono/body-limit';
import { CALLS } from '../../contract/calls/calls.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates the HTTP app: the API below /api; badges, captured mail, metrics and the built web app on other paths. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { store, config, clock, secrets, log } = options;
  const secureCookies = !(config.insecureHttp && config.publicUrl.protocol === 'http:');
  const sessions = createSessions({ store, clock, secret: secrets.session, secureCookies });
  const parts: AppParts = {
    ...options,
    timing: { ...DEFAULT_TIMING, ...options.timing },
    telemetry: options.telemetry ?? metricsOnly(),
    readiness: options.readiness ?? createReadiness(),
    sessions,
    tokens: createPersonalTokens({ store, clock }),
    limits: createCallLimits(clock, config.limits),
    answers: createAccountAnswers({ store, clock }),
    localAccess: createLocalAccess(options),
  };
  const api = createApi(parts);
  const { app } = api;

  guard(app, parts);
  app.onError((error, c) => {
    const incoming = c.env?.incoming;
    // The connection was closed before the whole body had arrived, so nobody reads this answer.
    if (incoming?.destroyed && !incoming.complete)
      return problemResponse(c, refuse('invalid_request', 'The request did not arrive completely.'));
    if (isDatabaseOutage(error)) {
      log.error({ err: error, requestId: c.get('requestId') }, 'The database does not answer');
      return problemResponse(
        c,
        refuse('unavailable', 'The database does not answer. Try again in a moment.'),
      );
    }
    const fault = storageFaultOf(error);
    if (fault !== null) {
      log.error({ err: error, requestId: c.get('requestId') }, STORAGE_FAULTS[fault]);
      return problemResponse(c, refuse('unavailable', STORAGE_FAULTS[fault]));
    }
    if (isStatementTimeout(error)) {
      const { searchSeconds } = config.limits;
      const detail = `The limit of ${searchSeconds} seconds for one search is reached. Try a different search.`;
      return problemResponse(c, new Refusal('unavailable', detail, { limit: 'searchSeconds' }));
    }
    log.error({ err: error, requestId: c.get('requestId') }, 'A request failed');
    return problemResponse(c, refuse('internal', 'Something went wrong on our side. The error was logged.'));
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
  unsubscribeRoutes(api, parts);
  paymentRoutes(api, parts);
  eventRoutes(api, parts);
  faviconRoutes(api, parts);
  previewCheckRoutes(api, parts);
  statusRoutes(api, parts);
  badgeRoutes(api, parts);
  accountMetricsRoute(api, parts);
  deploymentRoutes(api, parts);
  docsRoutes(api, parts);
  app.all('/api/*', (c) => problemResponse(c, refuse('not_found', 'The API has no such call.')));

  badgeImageRoutes(app, parts);
  limitStatusPages(app, parts);
  devMailRoutes(app, parts);
  metricsRoutes(app, parts);
  staticPageRoutes(app, {
    webRoot: options.webRoot,
    publicUrl: config.publicUrl,
    publicConfig: publicConfigOf(config),
    maybeSignedIn: sessions.hasCookie,
    isSignedIn: async (c) => (await sessions.ofEitherCookie(c)) !== null,
    statusPage: (slug) => findPublicPage(store, slug),
  });
  return app;
}

/**
 * Returns whether a request is a one-click unsubscribe (RFC 8058 §3.1). Mail programs post it from any origin and
 * without cookies; only the token in its path authorises it.
 */
function isOneClick({ method, path }: { method: string; path: string }): boolean {
  return method === 'POST' && /^\/api\/unsubscribe\/[^/]+$/.test(path);
}

/**
 * Registers what runs before every route: telemetry, security headers, and checks of path length, request rate and https. Below
 * /api it also checks origin and body size. Health checks may use plain http.
 */
function guard(app: Hono<AppEnv>, parts: AppParts): void {
  const { config, limits, localAccess, telemetry, requestLog } = parts;
  const headersFor = securityHeaders(config);
  const clients = createClientAddressReader(config.trustedProxies);
  const exceedsReceiving = createReceivingLimit(config.limits.connectionsPerAddress);

  recordRequests(app, { clients, telemetry, requestLog: requestLog ?? null });
  app.use('*', async (c, next) => {
    localAccess.detectProxy(c);
    const tooLong = refuseLongPath(c, config.limits);
    for (const [name, value] of headersFor(tooLong === null ? c.req.path : '')) c.header(name, value);
    if (tooLong !== null) return errorResponse(c, tooLong);
    c.set('client', clients.read(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')));
    const limited =
      exceedsReceiving(c) ??
      (isBelowApi(c.req.path) ? null : limits.allow('pagesByAddress', c.get('client').network));
    if (limited) return errorResponse(c, limited);
    const plainHttp = /^\/api\/health(?:\/|$)/.test(c.req.path)
      ? null
      : refusePlainHttp(c.req.header('host'), config);
    if (plainHttp === null) return next();
    if (isBelowApi(c.req.path)) return problemResponse(c, plainHttp);
    return c.html(
      html`<!doctype html><title>HTTPS is required</title>
        <h1>HTTPS is required</h1>
        <p>${plainHttp.detail}</p>`,
      403,
    );
  });

  app.use('/api/*', async (c, next) => {
    const limited = limits.allowWithHeaders(c, 'byAddress', c.get('client').network);
    if (limited) return problemResponse(c, limited);
    const foreign =
      SAFE_METHODS.has(c.req.method) || isOneClick(c.req) || hasToken(c)
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

/** Registers the routes of domains, fixed paths first: `/domain/{id}` would otherwise match `/domain/list`. */
function domainRoutes(api: Api, parts: AppParts): void {
  domainListRoutes(api, parts);
  certificateRoutes(api, parts);
  deadlineRoutes(api, parts);
  domainAddRoutes(api, parts);
  domainActionRoutes(api, parts);
  domainImportRoutes(api, parts);
  domainUptimeRoute(api, parts);
  domainReportRoutes(api, parts);
  oneDomainRoutes(api, parts);
}

const ORDINARY_KILOBYTES = 64;
/**
 * Body limit of imports in kB. 100 lines with notes of 2,000 characters fit in, even at the three UTF-8 bytes per
 * character that Chinese needs.
 */
const IMPORT_KILOBYTES = 1_024;
const IMPORTS = new Set([CALLS.previewImport, CALLS.importDomains].map(({ path }) => `/api${path}`));

/** Returns middleware that refuses bodies over 64 kB, or over 1 MB for imports. */
function bodyLimits(): MiddlewareHandler<AppEnv> {
  const [ordinaryLimit, importLimit] = [limitBody(ORDINARY_KILOBYTES), limitBody(IMPORT_KILOBYTES)];
  return (c, next) => (IMPORTS.has(c.req.path) ? importLimit : ordinaryLimit)(c, next);
}

const limitBody = (kilobytes: number) =>
  bodyLimit({
    maxSize: kilobytes * 1024,
    onError: (c) => problemResponse(c as AppContext, refuse('too_large', `Send less than ${kilobytes} kB.`)),
  });

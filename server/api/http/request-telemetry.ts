import type { Hono } from 'hono';
import { routePath } from 'hono/route';
import { randomUUID } from 'node:crypto';
import { LIMITS, type Limits } from '../../core/limits.ts';
import type { Telemetry } from '../../telemetry/metrics.ts';
import { parseTraceparent } from '../../telemetry/span.ts';
import { runInContext } from '../../telemetry/trace-context.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import type { createClientAddressReader } from './client-address.ts';
import { applyLeniency, plainRefusal, problemResponse, Refusal } from './problem.ts';

interface RequestWatchOptions {
  clients: ReturnType<typeof createClientAddressReader>;
  telemetry: Telemetry;
  /** Logger that gets a line per response, except for files, health checks and `/metrics`; null: no request log. */
  requestLog: { info(facts: object, text: string): void } | null;
}

/**
 * Assigns each request an id, and counts, traces and logs its response. Accepts an id and a trace context only from a
 * trusted proxy: any other client could reuse the id of another request, or have every request traced.
 */
export function recordRequests(
  app: Hono<AppEnv>,
  { clients, telemetry, requestLog }: RequestWatchOptions,
): void {
  app.use('*', async (c, next) => {
    const startedAt = performance.now();
    const { method } = c.req;
    const isFromProxy = clients.isTrusted(c.env?.incoming?.socket.remoteAddress);
    const requestId = (isFromProxy ? validId(c.req.header('x-request-id')) : null) ?? randomUUID();
    c.set('requestId', requestId);
    c.header('X-Request-Id', requestId);
    const span =
      telemetry.tracer?.start(method, {
        kind: 'server',
        parent: isFromProxy ? parseTraceparent(c.req.header('traceparent')) : null,
        attributes: { 'http.request.method': method, 'certlantern.requestId': requestId },
      }) ?? null;
    await runInContext({ fields: { requestId }, span }, next);

    const route = routeOf(c);
    const { status } = c.res;
    const ms = performance.now() - startedAt;
    const reachedLimit = c.get('reachedLimit') ?? null;
    if (reachedLimit !== null) telemetry.metrics.countReachedLimit(LIMITS[reachedLimit].setting);
    telemetry.metrics.countResponse({ route, method, status, seconds: ms / 1_000 });
    if (span) {
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.fail(c.error ?? null);
      span.end();
    }
    // Log the route, not the path: some paths contain secrets.
    if (requestLog !== null && isLogged(route, c.req.path))
      requestLog.info({ requestId, method, route, status, ms: Math.round(ms) }, 'answered');
    // Do this last: metrics, traces and the log must show the status of the refusal.
    applyLeniency(c);
  });
}

function validId(given: string | undefined): string | null {
  return given !== undefined && /^[\w.-]{8,128}$/.test(given) ? given : null;
}

/** Returns the pattern of the route, or 'pages' for wildcards. This limits the number of different metric labels. */
function routeOf(c: AppContext): string {
  const path = routePath(c);
  return path === '*' || path === '/*' ? 'pages' : path;
}

/** Returns whether to log a request. Omits files, and health checks and `/metrics`, which programs poll. */
function isLogged(route: string, path: string): boolean {
  if (route === '/metrics' || route.startsWith('/api/health') || route === '/assets/*') return false;
  return route !== 'pages' || !namesFile(path);
}

/**
 * Refuses a request whose path, without query, is longer than `pathBytes`; else returns null. Measures the path as it was sent,
 * before anything parses or decodes it.
 */
export function refuseLongPath(c: AppContext, { pathBytes }: Pick<Limits, 'pathBytes'>): Refusal | null {
  const target = c.env?.incoming?.url ?? new URL(c.req.url).pathname;
  const query = target.indexOf('?');
  if ((query === -1 ? target.length : query) <= pathBytes) return null;
  return new Refusal('path_too_long', `The path exceeds the limit of ${pathBytes} bytes.`, {
    limit: 'pathBytes',
  });
}

/** Responds with problem+json below /api, and with plain text everywhere else. */
export const errorResponse = (c: AppContext, refusal: Refusal): Response =>
  isBelowApi(c.req.path) ? problemResponse(c, refusal) : plainRefusal(c, refusal);

export const isBelowApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/** Returns whether the last segment of a path has a dot, as file names do and pages do not. */
export const namesFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/');

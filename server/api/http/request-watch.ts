import type { Hono } from 'hono';
import { routePath } from 'hono/route';
import { randomUUID } from 'node:crypto';
import { LIMITS, type Limits } from '../../core/index.ts';
import { during, parseTraceparent, type Telemetry } from '../../telemetry/index.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import type { createClientAddressReader } from './client-address.ts';
import { plainRefusal, problemResponse, Refusal } from './problem.ts';

interface RequestWatchOptions {
  clients: ReturnType<typeof createClientAddressReader>;
  telemetry: Telemetry;
  /** Gets a line for each answer; null: nobody reads them. */
  requestLog: { info(facts: object, text: string): void } | null;
}

/**
 * Gives each request its id, counts its answer, and traces it. The id, and the trace that it is part of, are taken over from a
 * trusted proxy: anybody else could make one that stands for another request, or have everything traced.
 */
export function watchRequests(
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
    await during({ fields: { requestId }, span }, next);

    const route = routeOf(c);
    const { status } = c.res;
    const ms = performance.now() - startedAt;
    const reached = c.get('reachedLimit') ?? null;
    if (reached !== null) telemetry.meters.limitReached(LIMITS[reached].setting);
    telemetry.meters.answered({ route, method, status, seconds: ms / 1_000 });
    if (span) {
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.fail(c.error ?? null);
      span.end();
    }
    // The route and not the path: some paths are secrets, and none is needed beside the id.
    if (requestLog !== null && isTold(route, c.req.path))
      requestLog.info({ requestId, method, route, status, ms: Math.round(ms) }, 'answered');
  });
}

function validId(given: string | undefined): string | null {
  return given !== undefined && /^[\w.-]{8,128}$/.test(given) ? given : null;
}

/** As it was registered, so that there are only so many of them. */
function routeOf(c: AppContext): string {
  const path = routePath(c);
  return path === '*' || path === '/*' ? 'pages' : path;
}

/** Leaves out files, and endpoints that programs poll every few seconds. */
function isTold(route: string, path: string): boolean {
  if (route === '/metrics' || route.startsWith('/api/health') || route === '/assets/*') return false;
  return route !== 'pages' || !namesFile(path);
}

/**
 * Refuses a request whose path, without its query, has more bytes than `pathBytes`; returns null for every other one. It measures the
 * target as it was sent: nothing has parsed or decoded the path before.
 */
export function refuseLongPath(c: AppContext, { pathBytes }: Pick<Limits, 'pathBytes'>): Refusal | null {
  const target = c.env?.incoming?.url ?? new URL(c.req.url).pathname;
  const query = target.indexOf('?');
  if ((query === -1 ? target.length : query) <= pathBytes) return null;
  return new Refusal('path_too_long', `The limit of ${pathBytes} bytes for a path is reached.`, {
    limit: 'pathBytes',
  });
}

/** Answers a refusal as a problem below /api, and as text everywhere else. */
export const refusalResponse = (c: AppContext, refusal: Refusal): Response =>
  isBelowApi(c.req.path) ? problemResponse(c, refusal) : plainRefusal(c, refusal);

export const isBelowApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/** Returns whether the last part of a path looks like the name of a file and not of a page. */
export const namesFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/');

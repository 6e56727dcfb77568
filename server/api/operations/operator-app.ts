import { Hono } from 'hono';
import type { AppContext, AppEnv } from '../http/app-env.ts';
import { type AppOptions, DEFAULT_TIMING } from '../app-options.ts';
import { createClientAddressReader } from '../http/client-address.ts';
import { createHealth } from './health.ts';
import { metricsRoutes } from './metrics.ts';
import { problemResponse, Refusal, refuse } from '../http/problem.ts';
import { errorResponse, recordRequests, refuseLongPath } from '../http/request-telemetry.ts';
import { createLocalAccess } from '../http/local-access.ts';

export type OperatorAppOptions = Required<Pick<AppOptions, 'store' | 'log' | 'telemetry' | 'readiness'>> & {
  clock: Pick<AppOptions['clock'], 'now'>;
  config: Pick<
    AppOptions['config'],
    'insecureHttp' | 'limits' | 'metricsToken' | 'publicUrl' | 'publicUrlIsDefault' | 'trustedProxies'
  >;
  timing?: { databaseMs: number };
};

/** Creates the HTTP app of a worker-only process: metrics and health, at the same paths as in `createApp`. */
export function createOperatorApp(options: OperatorAppOptions): Hono<AppEnv> {
  const { config, telemetry, log, timing = DEFAULT_TIMING } = options;
  const app = new Hono<AppEnv>();
  const clients = createClientAddressReader(config.trustedProxies);
  const localAccess = createLocalAccess({ config, mailFolder: null, log });
  recordRequests(app, { clients, telemetry, requestLog: null });
  app.use('*', async (c, next) => {
    localAccess.detectProxy(c);
    const tooLong = refuseLongPath(c, config.limits);
    return tooLong === null ? next() : errorResponse(c, tooLong);
  });
  app.onError((error, c) => {
    log.error({ err: error }, 'A request failed');
    return problemResponse(c, refuse('internal', 'Something went wrong on our side. The error was logged.'));
  });
  app.notFound((c) => c.text('Not found\n', 404, { 'Cache-Control': 'no-store' }));

  const health = createHealth({ ...options, localAccess, timing });
  const healthChecks = {
    '/api/health': () => health.whole(),
    '/api/health/live': () => health.live(),
    '/api/health/ready': () => health.ready(),
    '/api/health/late': (c: AppContext) => health.late(c),
  };
  for (const [path, check] of Object.entries(healthChecks))
    app.get(path, async (c) => {
      c.header('Cache-Control', 'no-store');
      const answer = await check(c);
      if (answer instanceof Refusal) return problemResponse(c, answer);
      return answer instanceof Response ? answer : c.json(answer);
    });
  metricsRoutes(app, { ...options, localAccess });
  return app;
}

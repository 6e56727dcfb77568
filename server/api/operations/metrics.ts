import type { Hono } from 'hono';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Gauge, Registry } from 'prom-client';
import { ALARM_CODES } from '../../store/alerts/alarms.ts';
import { recentChecks, workHealth } from '../../store/operations/health.ts';
import type { Store } from '../../store/db/open-store.ts';
import { schemaLevel } from '../../store/schema/migrate.ts';
import { logListStates } from '../../store/operations/log-lists.ts';
import type { Telemetry } from '../../telemetry/metrics.ts';
import type { AppContext, AppEnv } from '../http/app-env.ts';
import type { LocalAccess } from '../http/local-access.ts';
import { MINUTE_MS, SECOND_MS } from '../../../contract/durations.ts';

interface MetricsOptions {
  store: Store;
  clock: { now(): number };
  config: { metricsToken: string | null };
  localAccess: LocalAccess;
  telemetry: Telemetry;
}

/** Minimum interval between two counts of recent checks, because each count reads every monitor. */
const COUNT_EVERY_MS = MINUTE_MS;

/**
 * Serves `GET /metrics` in Prometheus text format: counters of this process, and gauges of the whole deployment. Needs
 * METRICS_TOKEN or, if none is set, a request from this machine; other requests get the next route, a 404.
 */
export function metricsRoutes(app: Hono<AppEnv>, options: MetricsOptions): void {
  const { store, clock, telemetry } = options;
  const deployment = createGauges(store, clock);
  app.get('/metrics', async (c, next) => {
    if (!mayReadMetrics(c, options)) return next();
    await deployment.read();
    const registry = Registry.merge([telemetry.metrics.registry, deployment.registry]);
    return c.body(await registry.metrics(), 200, {
      'Content-Type': registry.contentType,
      'Cache-Control': 'no-store',
    });
  });
}

export function mayReadMetrics(
  c: AppContext,
  { config: { metricsToken: token }, localAccess }: Pick<MetricsOptions, 'config' | 'localAccess'>,
): boolean {
  if (token === null) return localAccess.isFromThisMachine(c);
  const given = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates gauges of the deployment. `read` fills them from the database, because API and workers may be separate processes. */
function createGauges(
  store: Store,
  clock: { now(): number },
): { registry: Registry; read: () => Promise<void> } {
  const registry = new Registry();
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
  const dueCheck = gauge('oldest_due_check_seconds', 'How long the oldest due check has been waiting.');
  const unsentAlert = gauge(
    'oldest_unsent_alert_seconds',
    'How long the oldest alert that is ready to send has been waiting.',
  );
  const waiting = gauge(
    'certlantern_waiting_alerts',
    'Alerts waiting to be sent, including planned retries.',
  );
  const retried = gauge('certlantern_retried_alerts', 'Waiting alerts with at least one failed attempt.');
  const checks = gauge('certlantern_checks_in_five_minutes', 'Checks completed in the last five minutes.');
  const level = gauge('certlantern_database_level', 'Number of the newest migration in the database.');
  const ofList = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['list'], registers: [registry] });
  const listAge = ofList(
    'certlantern_log_list_age_seconds',
    'Time since a server last sent or confirmed the list of Certificate Transparency logs; NaN without a list.',
  );
  const listAttempts = ofList(
    'certlantern_log_list_attempts',
    'Requests for the list of Certificate Transparency logs since the last usable answer.',
  );
  const alarm = new Gauge({
    name: 'certlantern_alarm',
    help: 'Whether an operator alarm is active.',
    labelNames: ['code'],
    registers: [registry],
  });
  let countedAt = -Infinity;
  return {
    registry,
    async read() {
      const now = clock.now();
      const health = await workHealth(store, now);
      dueCheck.set(health.oldestDueCheckMs / SECOND_MS);
      unsentAlert.set(health.oldestUnsentAlertMs / SECOND_MS);
      waiting.set(health.waitingAlerts);
      retried.set(health.retriedAlerts);
      if (now - countedAt >= COUNT_EVERY_MS) {
        countedAt = now;
        checks.set(await recentChecks(store, now));
      }
      level.set(await schemaLevel(store));
      const lists = await logListStates(store);
      for (const list of ['google', 'apple']) {
        const { answeredAt, attempts } = lists.get(list) ?? { answeredAt: null, attempts: 0 };
        listAge.set({ list }, answeredAt === null ? Number.NaN : (now - answeredAt) / SECOND_MS);
        listAttempts.set({ list }, attempts);
      }
      const raised = new Set(health.alarms.map(({ code }) => code));
      for (const code of ALARM_CODES) alarm.set({ code }, Number(raised.has(code)));
    },
  };
}

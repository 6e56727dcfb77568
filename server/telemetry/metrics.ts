import type { Tracer } from './span.ts';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from 'prom-client';

/** Metrics of one process. Label values are constants of the program, never host names or user data. */
export interface Metrics {
  registry: Registry;
  countResponse(request: { route: string; method: string; status: number; seconds: number }): void;
  /**
   * Counts one check. `seconds` is the time from the start of the check to the stored result; null if the check did not complete.
   */
  countCheck(outcome: CheckOutcome, seconds: number | null): void;
  /** Records the duration of one claim of due work, and how many items it returned. */
  recordClaim(kind: string, claimed: { items: number; seconds: number }): void;
  /** Counts one delivery attempt. `channel` is the kind of channel, `mail` for a mail that is not an alert, or `heartbeat`. */
  countDelivery(channel: string, outcome: string): void;
  /** Counts a reached limit. `setting` is the environment variable that sets it. */
  countReachedLimit(setting: string, count?: number): void;
  countSpans: (outcome: 'exported' | 'dropped', count: number) => void;
}

/**
 * How a check ended. `postponed`: our own network or clock may be at fault. `lost`: another worker took over, or the monitor was
 * removed. `failed`: an error was thrown. `interrupted`: the process shut down before the end.
 */
export type CheckOutcome = 'done' | 'postponed' | 'lost' | 'failed' | 'interrupted';
const CHECK_OUTCOMES: readonly CheckOutcome[] = ['done', 'postponed', 'lost', 'failed', 'interrupted'];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const REQUEST_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10];
const CHECK_SECONDS = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const CLAIM_SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.5, 1, 5];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'certlantern_http_requests_total',
    help: 'Answered requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'certlantern_http_request_duration_seconds',
    help: 'Time until the response started.',
    // No status label, because each label multiplies the number of time series.
    labelNames: ['route', 'method'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const checks = new Counter({
    name: 'certlantern_checks_total',
    help: 'Checks completed by this process, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const checkSeconds = new Histogram({
    name: 'certlantern_check_duration_seconds',
    help: 'Duration of checks, from the probe to the stored result.',
    buckets: CHECK_SECONDS,
    registers,
  });
  const claimSeconds = new Histogram({
    name: 'certlantern_claim_duration_seconds',
    help: 'Duration of the queries that claim due work.',
    labelNames: ['kind'],
    buckets: CLAIM_SECONDS,
    registers,
  });
  const claimed = new Counter({
    name: 'certlantern_claimed_total',
    help: 'Work items claimed by this process.',
    labelNames: ['kind'],
    registers,
  });
  const deliveries = new Counter({
    name: 'certlantern_deliveries_total',
    help: 'Attempts to deliver alerts and mails, by the kind of channel and how they ended.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const limits = new Counter({
    name: 'certlantern_limit_reached_total',
    help: 'How often a limit refused or truncated something, by the variable that sets it.',
    labelNames: ['limit'],
    registers,
  });
  const spans = new Counter({
    name: 'certlantern_trace_spans_total',
    help: 'Trace spans, exported or dropped.',
    labelNames: ['outcome'],
    registers,
  });
  // Set counters to 0 now: before the first event, rate() then returns 0 and not "no data".
  for (const outcome of CHECK_OUTCOMES) checks.inc({ outcome }, 0);
  return {
    registry,
    countResponse({ route, method: given, status, seconds }) {
      const method = METHODS.has(given) ? given : 'other';
      requests.inc({ route, method, status });
      requestSeconds.observe({ route, method }, seconds);
    },
    countCheck(outcome, seconds) {
      checks.inc({ outcome });
      if (seconds !== null) checkSeconds.observe(seconds);
    },
    recordClaim(kind, { items, seconds }) {
      claimSeconds.observe({ kind }, seconds);
      claimed.inc({ kind }, items);
    },
    countDelivery: (channel, outcome) => deliveries.inc({ channel, outcome }),
    countReachedLimit: (setting, count = 1) => limits.inc({ limit: setting }, count),
    countSpans: (outcome, count) => spans.inc({ outcome }, count),
  };
}

/** Database connections of this process. */
export interface PoolUse {
  /** All open connections, idle ones included. */
  open: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
  limit: number;
}

export interface ProcessFacts {
  version: string;
  role: string;
  /** Returns the use of the connection pool; null if there is none. */
  pool: () => PoolUse | null;
  /** Number of the newest migration that this version of the program has. */
  level: number;
  isDraining: () => boolean;
}

/**
 * Registers metrics about the process. Call it only once per registry, because a registry rejects a second metric of the same
 * name.
 */
export function measureProcess({ registry }: Metrics, facts: ProcessFacts): void {
  const gauge = (configuration: GaugeConfiguration<string>): Gauge =>
    new Gauge({ ...configuration, registers: [registry] });
  // Registers prom-client's default metrics, such as event loop lag, memory, CPU time and garbage collection. It samples the event loop
  // 100 times a second by default, which costs more than all loops of an idle process. The lag that it reports includes the interval.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
  gauge({
    name: 'certlantern_build_info',
    help: 'Version and role of this process; the value is always 1.',
    labelNames: ['version', 'role'],
  }).set({ version: facts.version, role: facts.role }, 1);
  gauge({
    name: 'certlantern_program_level',
    help: 'Number of the newest migration that this version knows.',
  }).set(facts.level);
  gauge({
    name: 'certlantern_draining',
    help: 'Whether this process is shutting down and takes no new work.',
    collect(this: Gauge) {
      this.set(Number(facts.isDraining()));
    },
  });
  gauge({
    name: 'certlantern_database_connections',
    help: 'Connections to PostgreSQL: in use, idle, and queries that wait for one.',
    labelNames: ['state'],
    collect(this: Gauge) {
      const use = facts.pool();
      if (use === null) return;
      this.set({ state: 'used' }, use.open - use.idle);
      this.set({ state: 'idle' }, use.idle);
      this.set({ state: 'waiting' }, use.waiting);
    },
  });
  gauge({
    name: 'certlantern_database_connections_limit',
    help: 'Maximum number of PostgreSQL connections of this process.',
    collect(this: Gauge) {
      const use = facts.pool();
      if (use !== null) this.set(use.limit);
    },
  });
}

/** Metrics and tracing of this process. */
export interface Telemetry {
  metrics: Metrics;
  /** Tracer of this process; null if tracing is off. */
  tracer: Tracer | null;
}

/** Creates telemetry with metrics but without tracing. */
export function metricsOnly(): Telemetry {
  return { metrics: createMetrics(), tracer: null };
}

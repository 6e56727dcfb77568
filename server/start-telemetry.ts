import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LIMITS } from './core/limits.ts';
import { PROGRAM_LEVEL } from './store/schema/migrations/index.ts';
import type { Store, StoreOptions } from './store/db/open-store.ts';
import { createMetrics, measureProcess, type Telemetry } from './telemetry/metrics.ts';
import type { Readiness } from './telemetry/readiness.ts';
import { createTracer } from './telemetry/span.ts';
import { recordPastSpan } from './telemetry/trace-context.ts';
import type { TracingConfig } from './tracing-config.ts';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });
const { version } = PACKAGE.parse(
  JSON.parse(readFileSync(resolve(import.meta.dirname, '..', 'package.json'), 'utf8')),
);

export interface RunningTelemetry extends Telemetry {
  /** Exports the remaining spans and stops. */
  close(): Promise<void>;
}

export async function startTelemetry(
  settings: TracingConfig | null,
  log: { warn(facts: object, text: string): void },
): Promise<RunningTelemetry> {
  const metrics = createMetrics();
  for (const { setting } of Object.values(LIMITS)) metrics.countReachedLimit(setting, 0);
  if (settings === null) return { metrics, tracer: null, close: () => Promise.resolve() };
  // Load the exporter only here, so that it stays unloaded while tracing is off.
  const { createOtlpExporter } = await import('./telemetry/otlp.ts');
  const { ratio, ...receiver } = settings;
  const exporter = createOtlpExporter({
    ...receiver,
    scope: { name: 'certlantern', version },
    onTrouble: (detail) => log.warn({ detail }, 'trace export failed'),
    onSpans: metrics.countSpans,
  });
  const tracer = createTracer({ ratio, onEnd: (span) => exporter.add(span) });
  return { metrics, tracer, close: () => exporter.close() };
}

export function registerProcessMetrics(
  { metrics }: Telemetry,
  { role, store, readiness }: { role: string; store: Store; readiness: Readiness },
): void {
  measureProcess(metrics, {
    version,
    role,
    level: PROGRAM_LEVEL,
    pool: () => store.pool(),
    isDraining: () => readiness.isDraining,
  });
}

const MAX_QUERY_LENGTH = 2_000;

/** Returns a hook that records each query, without its values, as a child of the current span; {} if tracing is off. */
export function traceQueries({ tracer }: Telemetry): Pick<StoreOptions, 'onQuery'> {
  if (tracer === null) return {};
  return {
    onQuery({ text, durationMs, failed }) {
      const endedAt = performance.timeOrigin + performance.now();
      const [verb = ''] = /^[a-z]+/i.exec(text.trim()) ?? [];
      recordPastSpan({
        name: `db ${verb.toLowerCase()}`,
        startedAt: endedAt - durationMs,
        endedAt,
        failed,
        attributes: { 'db.query.text': text.slice(0, MAX_QUERY_LENGTH) },
      });
    },
  };
}

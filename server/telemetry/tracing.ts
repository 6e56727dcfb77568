import type { Meters } from './meters.ts';
import { createTracer, type Tracer } from './span.ts';

/** Where traces go, from the variables that OpenTelemetry names. */
export interface TracingSettings {
  endpoint: URL;
  headers: Readonly<Record<string, string>>;
  resource: Readonly<Record<string, string>>;
  ratio: number;
  timeoutMs: number;
  delayMs: number;
}

export interface Tracing {
  tracer: Tracer;
  close(): Promise<void>;
}

/** Loads what sends traces, and only then. */
export async function createTracing(
  settings: TracingSettings,
  parts: { version: string; meters: Meters; onTrouble: (detail: string) => void },
): Promise<Tracing> {
  const { createOtlpExporter } = await import('./otlp.ts');
  const { ratio, ...receiver } = settings;
  const exporter = createOtlpExporter({
    ...receiver,
    scope: { name: 'certlantern', version: parts.version },
    onTrouble: parts.onTrouble,
    onSpans: parts.meters.spans,
  });
  return {
    tracer: createTracer({ ratio, onEnd: (span) => exporter.add(span) }),
    close: () => exporter.close(),
  };
}

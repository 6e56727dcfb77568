export {
  runInContext,
  failCurrentSpan,
  type LogFields,
  isTraced,
  type PastStep,
  withSpan,
  recordPastSpan,
} from './trace-context.ts';
export { createLog } from './log.ts';
export { type CheckOutcome, createMetrics, measureProcess, type Metrics, type PoolUse } from './metrics.ts';
export { createReadiness, type Readiness } from './readiness.ts';
export {
  type Attributes,
  createTracer,
  type OpenSpan,
  parseTraceparent,
  type SpanParent,
  type Tracer,
} from './span.ts';
export { metricsOnly, type Telemetry } from './metrics.ts';
export { createTracing, type Tracing, type TracingSettings } from './metrics.ts';

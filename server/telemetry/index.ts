export { during, failTrace, type Fields, isTraced, type PastStep, trace, tracePast } from './doing.ts';
export { createLog } from './log.ts';
export { type CheckOutcome, createMeters, measureProcess, type Meters, type PoolUse } from './meters.ts';
export { createReadiness, type Readiness } from './readiness.ts';
export {
  type Attributes,
  createTracer,
  type OpenSpan,
  parseTraceparent,
  type SpanParent,
  type Tracer,
} from './span.ts';
export { countingOnly, type Telemetry } from './meters.ts';
export { createTracing, type Tracing, type TracingSettings } from './span.ts';

import { createMeters, type Meters } from './meters.ts';
import type { Tracer } from './span.ts';

/** What a process tells of its own work. */
export interface Telemetry {
  meters: Meters;
  /** null: no traces. */
  tracer: Tracer | null;
}

/** Counts, and traces nothing. */
export function countingOnly(): Telemetry {
  return { meters: createMeters(), tracer: null };
}

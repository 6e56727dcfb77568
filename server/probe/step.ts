/** Timing of one phase of a probe, for tracing. Instants in ms UTC with fractions. */
export interface Step {
  name: 'resolve' | 'look' | 'http' | 'ask' | 'posture';
  startedAt: number;
  endedAt: number;
}

const now = (): number => performance.timeOrigin + performance.now();

/** Runs one phase and reports its timing to `onStep`, whether it succeeds or fails. */
export async function timed<T>(
  name: Step['name'],
  onStep: ((step: Step) => void) | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (onStep === undefined) return run();
  const startedAt = now();
  try {
    return await run();
  } finally {
    onStep({ name, startedAt, endedAt: now() });
  }
}

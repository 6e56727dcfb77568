/** A part of a look, for whoever wants to know where its time went. Instants in ms UTC, fractions and all. */
export interface Step {
  name: 'resolve' | 'look' | 'http' | 'ask' | 'posture';
  startedAt: number;
  endedAt: number;
}

const now = (): number => performance.timeOrigin + performance.now();

/** Runs one, and tells when it was, however it ended. */
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

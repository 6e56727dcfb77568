import { join } from 'node:path';
import type { Endpoint } from './servers.ts';
import { countMatches, logDuring, MAX_RETRY, type Traces } from './traces.ts';

/** Number of ordinary checks, none of which may leave a trace. */
const CHECKS = 20;
const AT_A_TIME = 5;

interface TraceOutcome {
  left: string;
  logged: string;
  /**
   * Says which traces are not allowed: any trace of an ordinary check, or so many traces of a posture check that fail2ban
   * would block us. Null if there are none.
   */
  fault: string | null;
}

/** Checks an endpoint 20 times and then once with its posture. Reads what these checks left in the log and in counters. */
export async function checkTraces(
  traces: Traces,
  { matchesEach }: Endpoint,
  observe: (withPosture: boolean) => Promise<unknown>,
  folder: string,
): Promise<TraceOutcome> {
  const { log, counters } = traces;
  const read = (): Record<string, number> => counters?.read() ?? {};
  // Wait for the lines of earlier checks.
  await logDuring(log, () => undefined);
  const before = read();
  const first = await logDuring(log, async () => void (await observe(false)));
  const more = await logDuring(log, async () => {
    for (let done = 1; done < CHECKS; done += AT_A_TIME)
      await Promise.all(Array.from({ length: Math.min(AT_A_TIME, CHECKS - done) }, () => observe(false)));
  });
  const between = read();
  const daily = await logDuring(log, async () => void (await observe(true)));
  const after = read();

  const left: string[] = [];
  const faults: string[] = [];
  for (const [name, count] of Object.entries(between)) {
    const raised = count - (before[name] ?? 0);
    left.push(`${name} +${raised}, +${(after[name] ?? 0) - count}`);
    if (raised > 0) faults.push(`${CHECKS} checks raised ${name} by ${raised}.`);
  }
  for (const filter of Object.keys(traces.filters)) {
    const usual = matchesOf(traces, filter, first + more, folder);
    const posture = matchesOf(traces, filter, daily, folder);
    left.push(`${filter} ${usual}, ${posture}`);
    if (usual > (filter === matchesEach ? CHECKS : 0))
      faults.push(`${filter} matches ${usual} lines of ${CHECKS} checks.`);
    if (posture >= MAX_RETRY) faults.push(`${filter} matches ${posture} lines of a check with posture.`);
  }
  const { errors } = traces;
  if (errors !== undefined) {
    const count = (lines: string): number => lines.split('\n').filter((line) => errors.test(line)).length;
    const usual = count(first + more);
    left.push(`errors ${usual}, ${count(daily)}`);
    if (usual > 0) faults.push(`${CHECKS} checks left ${usual} lines about errors.`);
  }
  return {
    left: left.join('; '),
    logged: `--- check\n${first}--- check with posture\n${daily}`,
    fault: faults.length === 0 ? null : faults.join(' '),
  };
}

/**
 * Returns a filter or counter that does not notice a bad client. If it finds no trace of our checks, that would prove
 * nothing. Null if all notice their bad client.
 */
export async function controlTraces(traces: Traces, folder: string): Promise<string | null> {
  for (const [filter, misbehave] of Object.entries(traces.filters)) {
    const lines = await logDuring(traces.log, misbehave);
    if (matchesOf(traces, filter, lines, folder) === 0) return `${filter} finds no bad client in: ${lines}`;
  }
  const { counters } = traces;
  if (counters === undefined) return null;
  const before = counters.read();
  await logDuring(traces.log, counters.raise);
  const still = Object.entries(counters.read()).filter(([name, count]) => count === before[name]);
  return still.length === 0 ? null : `A bad client does not raise ${still.map(([name]) => name).join()}.`;
}

function matchesOf({ forFilters }: Traces, filter: string, lines: string, folder: string): number {
  return countMatches(forFilters?.(lines) ?? lines, filter, join(folder, 'part.log'));
}

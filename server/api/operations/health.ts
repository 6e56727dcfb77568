import { setTimeout as delay } from 'node:timers/promises';
import type { LatenessMembers } from '../../../contract/calls/deployment.ts';
import { raisedAlarms } from '../../store/alerts/alarms.ts';
import { oldestDueTimes } from '../../store/alerts/deliveries.ts';
import { PROGRAM_LEVEL } from '../../store/schema/migrations/index.ts';
import type { StorageFault } from '../../store/db/dialect.ts';
import type { Store } from '../../store/db/open-store.ts';
import { schemaLevel } from '../../store/schema/migrate.ts';
import { isOverdue } from '../../core/health.ts';
import type { Readiness } from '../../telemetry/readiness.ts';
import type { AppContext } from '../http/app-env.ts';
import { mayReadMetrics } from './metrics.ts';
import { problemResponse, Refusal, refuse } from '../http/problem.ts';
import type { LocalAccess } from '../http/local-access.ts';
import { SECOND_MS } from '../../../contract/durations.ts';

export interface HealthOptions {
  store: Store;
  clock: { now(): number };
  config: { metricsToken: string | null };
  localAccess: LocalAccess;
  log: { error(facts: object, text: string): void };
  /**
   * Maximum time for which a check waits for the database, ms. If the network to the database is broken, no answer ever comes.
   */
  timing: { databaseMs: number };
  readiness: Readiness;
}

const OK = { status: 'ok' as const };
const NO_ANSWER = 'The database does not answer.';

/** Texts that anybody may read. Only the alarm includes the reason, which may contain file names. */
export const STORAGE_FAULTS: Record<StorageFault, string> = {
  database_damaged: 'The database is damaged. Some data cannot be read.',
  disk_failed: 'The disk of this server failed. Nothing can be saved.',
  disk_full: 'The disk of this server is full. Nothing can be saved until there is free space.',
};

/** Creates the health checks, for the API and for worker-only processes. */
export function createHealth(options: HealthOptions) {
  const { store, clock, readiness } = options;
  const bounded = <T>(query: Promise<T>): Promise<T | Refusal> => withDatabaseTimeout(query, options);

  return {
    /** Checks that this process runs, that the database answers, and that its file and disk have no fault. */
    async whole(): Promise<typeof OK | Refusal> {
      const [due, faults] = await Promise.all([
        bounded(oldestDueTimes(store, clock.now())),
        bounded(store.storage.faults()),
      ]);
      if (due instanceof Refusal) return due;
      if (faults instanceof Refusal) return faults;
      const [fault] = faults.keys();
      return fault === undefined ? OK : refuse('unavailable', STORAGE_FAULTS[fault]);
    },

    live: (): typeof OK => OK,

    async ready(): Promise<typeof OK | Refusal> {
      if (readiness.isDraining) return refuse('unavailable', 'This process is shutting down.');
      const level = await bounded(schemaLevel(store));
      if (level instanceof Refusal) return level;
      return level >= PROGRAM_LEVEL ? OK : refuse('unavailable', 'The database is not up to date.');
    },

    /**
     * Reports delays of the whole deployment, so that monitoring one process is enough. Includes the raised alarms if the request
     * may read metrics. Responds with a problem if a check or an alert is overdue.
     */
    async late(c: AppContext): Promise<({ status: 'on_time' } & LatenessMembers) | Refusal | Response> {
      const now = clock.now();
      const [due, alarms] = await Promise.all([
        bounded(oldestDueTimes(store, now)),
        mayReadMetrics(c, options) ? bounded(raisedAlarms(store)) : null,
      ]);
      if (due instanceof Refusal) return due;
      if (alarms instanceof Refusal) return alarms;
      const secondsSince = (at: number | null): number =>
        at === null ? 0 : Math.max(0, Math.floor((now - at) / SECOND_MS));
      const members: LatenessMembers = {
        checks_seconds: secondsSince(due.checkAt),
        alerts_seconds: secondsSince(due.deliveryAt),
        ...(alarms && { alarms: alarms.map(({ code }) => code) }),
      };
      const isOnTime = [due.checkAt, due.deliveryAt].every((at) => !isOverdue(at, now));
      if (isOnTime) return { status: 'on_time', ...members };
      const detail = `The oldest due check has been waiting for ${members.checks_seconds} seconds, the oldest alert for ${members.alerts_seconds}.`;
      return problemResponse(c, refuse('late', detail), members);
    },
  };
}

async function withDatabaseTimeout<T>(
  query: Promise<T>,
  { log, timing }: Pick<HealthOptions, 'log' | 'timing'>,
): Promise<T | Refusal> {
  try {
    const late = delay(timing.databaseMs, 'late' as const, { ref: false });
    const answer = await Promise.race([query, late]);
    if (answer === 'late') throw new Error(`No answer within ${timing.databaseMs} ms`);
    return answer;
  } catch (error) {
    log.error({ err: error }, 'The database does not answer');
    return refuse('unavailable', NO_ANSWER);
  }
}

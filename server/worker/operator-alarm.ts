import { type AlarmCode, clearAlarm, raiseAlarm } from '../store/alerts/alarms.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Clock, Log } from './clock.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** The alarms of this process, about problems that only the operator can fix. */
export interface Alarms {
  /** Raises an alarm, or confirms that it is still raised. Never rejects. */
  raise(code: AlarmCode, detail: string): Promise<void>;
  /** Clears an alarm. Never rejects. */
  clear(code: AlarmCode): Promise<void>;
  /** Returns whether this process raised the alarm and has not cleared it since. */
  isRaised(code: AlarmCode): boolean;
  /**
   * Returns whether the alarm may be raised in the database, by this or an earlier process. It is true until this process clears
   * the alarm.
   */
  mayBeRaised(code: AlarmCode): boolean;
}

/** Minimum time in ms between two confirmations of a raised alarm in the database. */
const WRITE_AGAIN_MS = MINUTE_MS;

/**
 * Creates the alarms of this process. Raised alarms are stored in the database, so an alarm is logged once even if several
 * processes raise it.
 */
export function createAlarms({ store, clock, log }: { store: Store; clock: Clock; log: Log }): Alarms {
  const written = new Map<AlarmCode, number>();
  const cleared = new Set<AlarmCode>();
  const failed = (error: unknown): void => log.warn({ err: error }, 'an alarm could not be stored');
  return {
    isRaised: (code) => written.has(code),
    mayBeRaised: (code) => !cleared.has(code),
    async raise(code, detail) {
      const at = clock.monotonic();
      const last = written.get(code);
      if (last !== undefined && at - last < WRITE_AGAIN_MS) return;
      written.set(code, at);
      cleared.delete(code);
      const isNew = await raiseAlarm(store, { code, detail, now: clock.now() }).catch(failed);
      // Log the alarm even if it cannot be stored: the cause may be the disk.
      if (isNew ?? last === undefined) log.error({ alarm: code, detail }, 'an alarm for the operator');
    },
    async clear(code) {
      written.delete(code);
      const wasThere = await clearAlarm(store, code).catch(failed);
      if (wasThere !== undefined) cleared.add(code);
      if (wasThere === true) log.warn({ alarm: code }, 'an alarm is over');
    },
  };
}

import { type AlarmCode, clearAlarm, raiseAlarm } from '../store/alerts/alarms.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Clock, Log } from './clock.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** What only the operator can set right, as this process sees it. */
export interface Alarms {
  /** Never rejects. Repeated, it keeps the alarm alive. */
  raise(code: AlarmCode, detail: string): Promise<void>;
  /** Never rejects. */
  clear(code: AlarmCode): Promise<void>;
  /** Whether this process raised it and has not cleared it since. */
  raised(code: AlarmCode): boolean;
  /** Whether it may stand: raised by this process, or by an earlier one since which this process has not cleared it. */
  mayStand(code: AlarmCode): boolean;
}

/** One write a minute says often enough that it is still so. */
const WRITE_AGAIN_MS = MINUTE_MS;

/** Writes alarms down: the log has each once, and whoever watches sees them in the database. */
export function createAlarms({ store, clock, log }: { store: Store; clock: Clock; log: Log }): Alarms {
  const written = new Map<AlarmCode, number>();
  const cleared = new Set<AlarmCode>();
  const failed = (error: unknown): void => log.warn({ err: error }, 'an alarm could not be written down');
  return {
    raised: (code) => written.has(code),
    mayStand: (code) => !cleared.has(code),
    async raise(code, detail) {
      const now = clock.now();
      const last = written.get(code);
      if (last !== undefined && now >= last && now - last < WRITE_AGAIN_MS) return;
      written.set(code, now);
      cleared.delete(code);
      const isNew = await raiseAlarm(store, { code, detail, now }).catch(failed);
      if (isNew === true) log.error({ alarm: code, detail }, 'an alarm for the operator');
    },
    async clear(code) {
      written.delete(code);
      const wasThere = await clearAlarm(store, code).catch(failed);
      if (wasThere !== undefined) cleared.add(code);
      if (wasThere === true) log.warn({ alarm: code }, 'an alarm is over');
    },
  };
}

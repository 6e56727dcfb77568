import {
  addCheckToHour,
  type OpenHour,
  packHour,
  withHour,
} from '../../../server/store/checks/day-figures.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { packSamples, type Sample } from '../../../server/store/checks/samples.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import type { MonitorKey } from '../../../server/store/schema/tables.ts';

/** Writes past checks of a monitor, oldest first. They appear in the strip and the chart. */
export async function writeHistory(
  { db }: Store,
  { accountId, monitorId }: MonitorKey,
  samples: readonly Sample[],
): Promise<void> {
  const ofMonitor = { account_id: accountId, monitor_id: monitorId };
  const days = new Map<number, ReturnType<typeof withHour>>();
  let hour: OpenHour | null = null;
  for (const sample of samples) {
    const step = addCheckToHour(hour, sample);
    hour = step.open;
    if (step.finished === null) continue;
    const dayAt = Math.floor(step.finished.at / DAY_MS) * DAY_MS;
    days.set(dayAt, withHour(days.get(dayAt), step.finished));
  }
  const state = {
    run_number: 0,
    run_last_at: samples.at(-1)?.at ?? 0,
    run_checks: 0,
    samples: packSamples(samples),
    hour_at: hour?.at ?? null,
    hour: hour && packHour(hour),
  };
  await db
    .insertInto('monitor_states')
    .values({ ...ofMonitor, ...state })
    .onConflict((conflict) => conflict.columns(['account_id', 'monitor_id']).doUpdateSet(state))
    .execute();
  const rows = [...days.values()].map((day) => ({ ...ofMonitor, ...day }));
  for (let from = 0; from < rows.length; from += 500)
    await db
      .insertInto('monitor_days')
      .values(rows.slice(from, from + 500))
      .execute();
}

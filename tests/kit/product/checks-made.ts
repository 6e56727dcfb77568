import type { Store } from '../../../server/store/db/open-store.ts';
import { parseSamples, type Sample } from '../../../server/store/checks/samples.ts';

/** Returns the last checks of every monitor in the order in which they ended. */
export async function checksMade(
  { db }: Pick<Store, 'db'>,
  monitorId?: string,
): Promise<(Sample & { monitorId: string })[]> {
  const rows = await db
    .selectFrom('monitor_states')
    .select(['monitor_id', 'samples'])
    .$if(monitorId !== undefined, (query) => query.where('monitor_id', '=', monitorId ?? ''))
    .execute();
  return rows
    .flatMap((row) => parseSamples(row.samples).map((sample) => ({ ...sample, monitorId: row.monitor_id })))
    .toSorted((one, other) => one.at - other.at);
}

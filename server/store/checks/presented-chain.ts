import { certificateDers } from './certificates.ts';
import { readObservation } from './evidence.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Store } from '../db/open-store.ts';

/**
 * Returns the DER of the chain that the endpoint last served, leaf first, from an address that served the monitor's leaf. Only the
 * leaf if no check with it is stored, empty before the first one, null if there is no such monitor.
 */
export async function presentedChain(store: Store, key: MonitorKey): Promise<Uint8Array[] | null> {
  const monitor = await store.db
    .selectFrom('monitors')
    .select('certificate_fingerprint')
    .where('id', '=', key.monitorId)
    .where('account_id', '=', key.accountId)
    .executeTakeFirst();
  if (!monitor) return null;
  const leaf = monitor.certificate_fingerprint;
  if (leaf === null) return [];

  const seen = await store.db
    .selectFrom('check_runs')
    .innerJoin('evidence', (join) =>
      join
        .onRef('evidence.account_id', '=', 'check_runs.account_id')
        .onRef('evidence.monitor_id', '=', 'check_runs.monitor_id')
        .onRef('evidence.id', '=', 'check_runs.evidence_id'),
    )
    .select('observation')
    .where('check_runs.account_id', '=', key.accountId)
    .where('check_runs.monitor_id', '=', key.monitorId)
    .where('reached', '=', 1)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { addresses = [] } = seen === undefined ? { addresses: [] } : readObservation(seen.observation);
  const chains = addresses.map((address) => address.presentedChain ?? []);
  const fingerprints = chains.find(([first]) => first === leaf) ?? [leaf];
  return (await certificateDers(store, fingerprints)) ?? [];
}

import { certificateDers } from './certificates.ts';
import type { MonitorKey } from './monitor-change.ts';
import type { Store } from './open-store.ts';

/** As `record` writes it: with fingerprints in the place of DER. */
interface StoredObservation {
  addresses: { presentedChain?: string[] }[];
}

/**
 * The DER of what the endpoint sent when a certificate was last read there, leaf first; of several addresses, one that
 * showed the monitor's own. The leaf alone where no check of that time is kept; empty before anything was read. Null:
 * there is no such monitor.
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

  const check = await store.db
    .selectFrom('checks')
    .select('observation')
    .where('monitor_id', '=', key.monitorId)
    .where('reached', '=', 1)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { addresses } =
    check === undefined ? { addresses: [] } : (JSON.parse(check.observation) as StoredObservation);
  const chains = addresses.map((address) => address.presentedChain ?? []);
  const fingerprints = chains.find(([first]) => first === leaf) ?? [leaf];
  return (await certificateDers(store, fingerprints)) ?? [];
}

import type { DomainWire } from '../../../contract/domain.ts';
import type { Monitor } from '../../store/monitors/monitors.ts';
import type { Store } from '../../store/db/open-store.ts';
import { uptimePercents } from '../../store/checks/uptime.ts';
import { domainWire } from '../http/wire.ts';

/** Monitors of one account in the wire's form, with their uptime over what its plan shows. `now` is ms UTC. */
export async function domainWires(
  store: Store,
  monitors: readonly Monitor[],
  now: number,
): Promise<DomainWire[]> {
  const percents = await uptimePercents(store, monitors, now);
  return monitors.map((monitor) => domainWire(monitor, { now, uptimePercent: percents.get(monitor.id) }));
}

/** The same of one. */
export async function oneDomainWire(store: Store, monitor: Monitor, now: number): Promise<DomainWire> {
  const percents = await uptimePercents(store, [monitor], now);
  return domainWire(monitor, { now, uptimePercent: percents.get(monitor.id) });
}

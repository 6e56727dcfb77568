import type { Ping } from '../channels/heartbeat.ts';
import { raisedAlarms } from '../store/alerts/alarms.ts';
import type { ClaimedDelivery } from '../store/alerts/claimed-delivery.ts';
import { retryDelivery, settleDelivery } from '../store/alerts/deliveries.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Clock } from './clock.ts';
import type { AttemptOutcome } from './send-attempt.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/** The endpoint that the self-check probes, and the ping that reports success. */
export interface Heartbeat {
  host: string;
  port: number;
  ping: Ping;
}

const RETRY_MS = MINUTE_MS;
/** Age in ms after which a ping is dropped. The next check queues a new one. */
const STALE_MS = 10 * MINUTE_MS;

/**
 * Pings HEARTBEAT_URL for a delivery of the self-check, which proves that checks run and alerts are sent. Drops old pings. Drops
 * all pings while an alarm is raised, so that the service behind the URL alerts the operator.
 */
export async function sendHeartbeat(
  delivery: ClaimedDelivery,
  { store, clock, heartbeat }: { store: Store; clock: Clock; heartbeat: Heartbeat | null },
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const lease = { leaseToken: delivery.leaseToken, ids: [delivery.id] };
  const drop = async (detail: string): Promise<AttemptOutcome> => {
    await settleDelivery(store, { ...lease, outcome: 'superseded', detail, now: clock.now() });
    return 'superseded';
  };
  if (heartbeat === null) return drop('HEARTBEAT_URL is not set.');
  if (clock.now() - delivery.createdAt > STALE_MS) return drop('This heartbeat is too old to be sent.');
  const alarms = await raisedAlarms(store);
  if (alarms.length > 0)
    return drop(`Not sent because of active alarms: ${alarms.map(({ code }) => code).join(', ')}.`);

  const { delivered, detail } = await heartbeat.ping(stopping);
  const now = clock.now();
  if (delivered) await settleDelivery(store, { ...lease, outcome: 'delivered', detail, now });
  else await retryDelivery(store, { ...lease, nextAttemptAt: now + RETRY_MS, detail, now });
  return delivered ? 'delivered' : 'retried';
}

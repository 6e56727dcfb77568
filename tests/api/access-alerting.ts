import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../contract/durations.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import type { Things } from './access-world.ts';

/** Gives the account a webhook, an open incident of the domain with a delivered alert, and a maintenance window. */
export async function giveAlerting(
  store: Store,
  { accountId, domain, now }: { accountId: string; domain: string; now: number },
): Promise<Pick<Things, 'channel' | 'delivery' | 'incident' | 'maintenance'>> {
  for (const table of ['channels', 'alerts', 'maintenance_windows'] as const)
    await store.db.deleteFrom(table).where('account_id', '=', accountId).execute();
  const [channel, delivery, incident, maintenance] = [0, 1, 2, 3].map(() => randomUUID()) as [
    ...[string, string, string, string],
  ];
  const config = { kind: 'webhook', url: 'https://hooks.example.com/', secrets: [] };
  await store.db
    .insertInto('channels')
    .values({
      id: channel,
      account_id: accountId,
      kind: 'webhook',
      name: 'Hook',
      created_at: now,
      confirmed_at: now,
      config: JSON.stringify(config),
    })
    .execute();
  await insertIncidents(store.db, [
    {
      account_id: accountId,
      id: incident,
      monitor_id: domain,
      problem: 'down',
      fingerprint: '',
      started_at: now,
      confirmed_at: now,
      recovered: 0,
      cause: 'timeout',
      message: 'No answer',
      facts: '{}',
    },
  ]);
  const alertFacts = { certificate: null, asOf: now, message: null, fix: null, successor: null };
  const alert = randomUUID();
  await store.db
    .insertInto('alerts')
    .values({
      id: alert,
      account_id: accountId,
      monitor_id: domain,
      incident_id: incident,
      kind: 'down',
      step: 'opened',
      fingerprint: '',
      severity: 'critical',
      created_at: now,
      facts: JSON.stringify({ ...alertFacts, startedAt: now, endedAt: null }),
    })
    .execute();
  await store.db
    .insertInto('deliveries')
    .values({
      id: delivery,
      account_id: accountId,
      alert_id: alert,
      incident_id: incident,
      channel: 'email',
      channel_key: 'email',
      dedupe_key: delivery,
      message_id: delivery,
      state: 'delivered',
      attempts: 1,
      unanswered: 0,
      next_attempt_at: now,
      settled_at: now,
      created_at: now,
    })
    .execute();
  await store.db
    .insertInto('maintenance_windows')
    .values({
      id: maintenance,
      account_id: accountId,
      monitor_id: domain,
      repeats: 'never',
      starts_at: now,
      ends_at: now + HOUR_MS,
      note: '',
      created_at: now,
    })
    .execute();
  return { channel, delivery, incident, maintenance };
}

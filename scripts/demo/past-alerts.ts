import type { AlertFacts, PlannedAlert } from '../../server/core/alerting/alert.ts';
import { routeAlert } from '../../server/core/alerting/route.ts';
import { routingContext } from '../../server/store/alerts/alert-settings.ts';
import { queueAlerts } from '../../server/store/alerts/alerts.ts';
import { leaseClock } from '../../server/store/db/dialect.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { changeIncident } from '../../server/store/alerts/monitor-incidents.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts';

const ANSWERS = {
  email: '250 2.0.0 Ok: queued',
  webhook: 'The receiver answered 204 No Content.',
  ntfy: 'ntfy answered 204 No Content.',
} as const;

/**
 * Marks all waiting deliveries as delivered shortly after `at` (ms UTC). Deliveries to a webhook about `retriedHost`
 * get two failed attempts first.
 */
export async function deliverPastAlerts(
  store: Store,
  { at, retriedHost }: { at: number; retriedHost: string | null },
): Promise<void> {
  const waiting = await store.db
    .selectFrom('deliveries')
    .innerJoin('alerts', 'alerts.id', 'deliveries.alert_id')
    .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
    .select([
      'deliveries.account_id',
      'deliveries.id',
      'deliveries.channel',
      'deliveries.channel_id',
      'monitors.host',
    ])
    .where('deliveries.state', '=', 'waiting')
    .execute();
  for (const { account_id: accountId, id, channel, channel_id: channelId, host } of waiting) {
    const isRetried = channel === 'webhook' && host === retriedHost;
    const starts = isRetried ? [2 * SECOND_MS, 8 * SECOND_MS, 5 * MINUTE_MS] : [2 * SECOND_MS];
    const attempts = starts.map((after, index) => {
      const isLast = index === starts.length - 1;
      return {
        account_id: accountId,
        delivery_id: id,
        attempt: index + 1,
        started_at: at + after,
        finished_at: at + after + SECOND_MS,
        outcome: isLast ? ('delivered' as const) : ('retry' as const),
        detail: isLast
          ? ANSWERS[channel as keyof typeof ANSWERS]
          : 'The receiver answered 503 Service Unavailable.',
      };
    });
    const settledAt = attempts.at(-1)?.finished_at ?? at;
    await store.db.insertInto('delivery_attempts').values(attempts).execute();
    await store.db
      .updateTable('deliveries')
      .set({
        state: 'delivered',
        attempts: attempts.length,
        first_attempt_at: at + 2 * SECOND_MS,
        settled_at: settledAt,
      })
      .where('id', '=', id)
      .execute();
    if (channelId !== null)
      await store.db
        .updateTable('channels')
        .set({ delivered_at: settledAt })
        .where('id', '=', channelId)
        .execute();
  }
}

/** A past outage. All times are ms UTC. */
export interface PastOutage {
  id: string;
  monitor_id: string;
  started_at: number;
  confirmed_at: number;
  /** Time of the end; null while the outage continues. */
  ended_at: number | null;
  message: string;
}

/** Adds the alerts of a past outage as delivered: one for its start and, if it has ended, one for its end. */
export async function alertPastOutage(
  store: Store,
  { accountId, incident }: { accountId: string; incident: PastOutage },
): Promise<void> {
  const { id: incidentId, monitor_id: monitorId, started_at: startedAt, ended_at: endedAt } = incident;
  const facts: AlertFacts = {
    certificate: null,
    fix: null,
    successor: null,
    message: incident.message,
    asOf: startedAt,
    startedAt,
    endedAt: null,
  };
  await addPastAlert(incident.confirmed_at, { step: 'opened', severity: 'critical', facts });
  if (endedAt !== null)
    await addPastAlert(endedAt, {
      step: 'resolved',
      severity: 'info',
      facts: { ...facts, asOf: endedAt, endedAt },
    });

  async function addPastAlert(
    at: number,
    alert: Pick<PlannedAlert, 'step' | 'severity' | 'facts'>,
  ): Promise<void> {
    await store.db.transaction().execute(async (trx) => {
      const choices = await routingContext(trx, { accountId, monitorId, now: at }, store);
      await queueAlerts(trx, {
        accountId,
        monitorId,
        now: at,
        leaseClock: leaseClock(store, at),
        alerts: [
          {
            ...alert,
            incidentId,
            problem: 'down',
            fingerprint: '',
            routes: routeAlert(alert, { ...choices, now: at }),
          },
        ],
      });
    });
    await deliverPastAlerts(store, { at, retriedHost: null });
  }
}

/** Acknowledges and snoozes open incidents and adds a maintenance window, as a user would. */
export async function addUserActions(
  store: Store,
  {
    accountId,
    idOf,
    now,
  }: { accountId: string; /** Returns the monitor's id. */ idOf: (host: string) => string; now: number },
): Promise<void> {
  const change = async (
    host: string,
    what: Parameters<typeof changeIncident>[1]['change'],
  ): Promise<void> => {
    const open = await store.db
      .selectFrom('incident_members')
      .select('id')
      .where('monitor_id', '=', idOf(host))
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow();
    await changeIncident(store, { accountId, incidentId: open.id, change: what, now: now - DAY_MS });
  };
  await change('git.orchard.example', { acknowledged: true });
  await change('old.moss.example', { acknowledged: true });
  await change('mail.orchard.example', { snoozedUntil: now + 2 * DAY_MS });
  const startsAt = nextSaturday(now);
  await addMaintenance(store, {
    accountId,
    monitorId: idOf('api.fjord.example'),
    window: { startsAt, endsAt: startsAt + 4 * HOUR_MS, repeats: 'never' },
    note: 'Database migration',
    max: 50,
    now,
  });
}

/** Returns 22:00 UTC on the next Saturday after today, in ms UTC. */
function nextSaturday(now: number): number {
  const day = new Date(now);
  day.setUTCHours(22, 0, 0, 0);
  return day.getTime() + ((6 - day.getUTCDay() + 7) % 7 || 7) * DAY_MS;
}

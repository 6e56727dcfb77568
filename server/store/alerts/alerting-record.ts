import type { Transaction } from 'kysely';
import { type AlertSettings, followIncidents, routeAlert, type Verdict } from '../../core/index.ts';
import { alertContextOf } from './alert-settings.ts';
import { addAlerts } from './alerts.ts';
import { leaseClock } from '../db/lease-clock.ts';
import { forgetTheFuture, incidentKey, knownIncidents, writeIncidents } from './monitor-incidents.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * What a check means for the incidents of its monitor and for who is to be told, as part of the transaction that records it,
 * after its uptime was. The monitor's row must be held. `lookAgainAt`: as `IncidentSteps` has it.
 */
export async function recordAlerting(
  store: Store,
  trx: Transaction<Tables>,
  check: {
    accountId: string;
    monitorId: string;
    verdict: Verdict;
    previous: Verdict | null;
    isUp: boolean;
    now: number;
  },
): Promise<{
  deliveries: number;
  /** Something that people see of alerts is not what it was. */
  changed: boolean;
  lookAgainAt: number | null;
  steps: AlertSettings['steps'];
}> {
  const { accountId, monitorId, verdict, previous, isUp, now } = check;
  const context = await alertContextOf(trx, { accountId, monitorId, now }, store);
  await forgetTheFuture(trx, { accountId, monitorId, now });
  const known = await knownIncidents(trx, { accountId, monitorId, now });
  const { settings, maintenanceUntil } = context;
  const { changes, alerts, lookAgainAt } = followIncidents({
    verdict,
    previous,
    isUp,
    known,
    settings,
    maintenanceUntil,
    now,
  });
  const opened = await writeIncidents(trx, { accountId, monitorId, changes });
  const deliveries = await addAlerts(trx, {
    accountId,
    monitorId,
    now,
    alerts: alerts.map((alert) => {
      const incidentId = alert.incidentId ?? opened.get(incidentKey(alert));
      if (incidentId === undefined) throw new Error(`An alert of ${incidentKey(alert)} has no incident.`);
      return { ...alert, incidentId };
    }),
    routesOf: (alert, failedOn) =>
      routeAlert(alert, {
        ...context,
        channels: context.channels.filter(({ key }) => !failedOn.has(key)),
        now,
      }),
    leaseClock: leaseClock(store, now),
  });
  const changed = alerts.length > 0 || changes.some(({ kind }) => kind !== 'update');
  return { deliveries, changed, lookAgainAt, steps: settings.steps };
}

import type { DomainAlertsWire } from '../../../contract/alerting.ts';
import { displayName, routeAlert } from '../../core/index.ts';
import { sentAlerts } from '../../store/alerts/alert-history.ts';
import { alertPlansOf } from '../../store/alerts/alert-plans.ts';
import { alertChoices, ownSettingsOf } from '../../store/alerts/alert-settings.ts';
import { incidentsOf } from '../../store/alerts/monitor-incidents.ts';
import { monitorOf } from '../../store/monitors/monitors.ts';
import { incidentWire, ownSettingsWire, sentAlertWire, settingsWire } from './alert-wire.ts';
import type { AppParts } from '../http/api.ts';
import { plannedAlerts } from './planned-alerts.ts';
import { isoOrNull } from '../http/wire.ts';
import { WEEK_MS } from '../../../contract/durations.ts';

const MOST_PLANNED = 20;

/** All that is told of one domain; null where the account has no such domain. */
export async function domainAlertsWire(
  { store, config }: Pick<AppParts, 'store' | 'config'>,
  { accountId, monitorId, now }: { accountId: string; monitorId: string; now: number },
): Promise<DomainAlertsWire | null> {
  const key = { accountId, monitorId };
  const monitor = await monitorOf(store, key);
  if (monitor === null) return null;
  const context = await alertChoices(store.db, { ...key, now }, store);
  const { timeZone, channels, settings } = context;
  const wording = { productName: config.productName, timeZone, now };
  const incidents = await incidentsOf(store.db, { ...key, since: now - WEEK_MS });
  const sent = await sentAlerts(store, key);
  const isTold = routeAlert({ severity: 'critical' }, { ...context, now }).length > 0;
  const planned = [];
  const plans = await alertPlansOf(store, { ...key, now });
  if (isTold) for await (const one of plans.monitors()) planned.push(...plannedAlerts(one, plans, { now }));
  return {
    incidents: incidents.map((incident) =>
      incidentWire(incident, { displayName: displayName(monitor), timeZone, now }),
    ),
    is_told: isTold,
    planned: planned.slice(0, MOST_PLANNED),
    sent: sent.map((one) => sentAlertWire(one, wording)),
    own: ownSettingsWire(await ownSettingsOf(store, key)),
    effective: settingsWire(settings),
    maintenance_until: isoOrNull(context.maintenanceUntil),
    unsubscribed: channels.filter((channel) => channel.isUnsubscribed).map((channel) => channel.key),
  };
}

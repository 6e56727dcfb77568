import type { DomainAlertsWire, PlannedAlertWire } from '../../../contract/alerting.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { routeAlert } from '../../core/alerting/route.ts';
import { ACCOUNT_MAIL, affectsAlerts } from '../../core/alerting/settings.ts';
import { sendAt } from '../../core/alerting/silence.ts';
import { nextDigestAt } from '../../core/digest.ts';
import { displayName } from '../../core/endpoint.ts';
import { type AlertForecastInput, readAlertForecastInput } from '../../store/alerts/alert-forecast.ts';
import {
  accountAlertSettings,
  changeAccountAlerts,
  changeMonitorAlerts,
  domainSettingsOf,
  routingContext,
} from '../../store/alerts/alert-settings.ts';
import { findCalendarFeed } from '../../store/publishing/calendar-feeds.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import { setUnsubscribed } from '../../store/mail/unsubscriptions.ts';
import {
  incidentWire,
  ownSettingsWire,
  quietHoursFromWire,
  sentAlertWire,
  settingsFromWire,
  settingsWire,
} from './alert-wire.ts';
import type { Api, AppParts, Parsed } from '../http/api.ts';
import { DOMAIN_REFUSALS } from '../domains/domain-refusals.ts';
import { limitRecheck, limitRecheckOfAll } from '../auth/verified-address.ts';
import { plannedAlerts, type SettingsToTry } from './planned-alerts.ts';
import { refuse } from '../http/problem.ts';
import { iso, isoOrNull } from '../domains/domain-wire.ts';
import { DAY_MS, WEEK_MS } from '../../../contract/durations.ts';
import { currentZoneName } from '../../../contract/time-zone.ts';
import { sentAlerts } from '../../store/alerts/alert-history.ts';
import { incidentsOf } from '../../store/alerts/monitor-incidents.ts';

const alertKey = ({ fingerprint, step }: PlannedAlertWire): string => `${fingerprint} ${step}`;
const MAX_PREVIEWED = 20;
const PREVIEW_SPAN_MS = 90 * DAY_MS;

/** Registers the calls about alerts: settings of an account and of its domains, previews, and a domain's alerts. */
export function alertRoutes(api: Api, parts: AppParts): void {
  const { store, limits } = parts;

  async function accountAlertsWire(accountId: string) {
    const { settings, timeZone, digestNextAt } = await accountAlertSettings(store, accountId);
    const calendar = await findCalendarFeed(store, accountId);
    return {
      settings: settingsWire(settings),
      time_zone: currentZoneName(timeZone),
      digest: { enabled: digestNextAt !== null, next_at: isoOrNull(digestNextAt) },
      calendar: calendar && { created_at: iso(calendar.createdAt), read_at: isoOrNull(calendar.readAt) },
    };
  }

  api.on(CALLS.accountAlerts, async ({ session }) => ({
    data: await accountAlertsWire(session.account.id),
  }));

  api.on(CALLS.changeAccountAlerts, async ({ body, session: { account }, now }) => {
    const settings = body.settings && settingsFromWire(body.settings);
    if (settings) {
      const { settings: known } = await accountAlertSettings(store, account.id);
      const limitedByChecks =
        affectsAlerts(known, { ...known, ...settings }) && (await limitRecheckOfAll(parts, account));
      if (limitedByChecks) return limitedByChecks;
    }
    const change = {
      settings,
      ...(body.digest !== undefined && {
        digestNextAt: body.digest ? nextDigestAt(now, account.timeZone) : null,
      }),
    };
    const changed = await changeAccountAlerts(store, account.id, change, now);
    return changed === 'changed'
      ? { data: await accountAlertsWire(account.id) }
      : refuse('premium_required', 'The weekly digest requires Premium.');
  });

  api.on(CALLS.previewAlerts, async ({ body, session: { account }, now }) => {
    const { domain_id: monitorId } = body;
    const scope = { accountId: account.id, ...(monitorId !== undefined && { monitorId }) };
    if (monitorId !== undefined && (await findMonitor(store, { accountId: account.id, monitorId })) === null)
      return DOMAIN_REFUSALS.notFound();
    return { data: await previewAlerts(await readAlertForecastInput(store, { ...scope, now }), body, now) };
  });

  api.on(CALLS.domainAlerts, async ({ params, session: { account }, now }) => {
    const data = await domainAlertsWire(parts, { accountId: account.id, monitorId: params.id, now });
    return data === null ? DOMAIN_REFUSALS.notFound() : { data };
  });

  api.on(CALLS.changeDomainAlerts, async ({ params, body, session: { account }, now }) => {
    const key = { accountId: account.id, monitorId: params.id };
    if ((await findMonitor(store, key)) === null) return DOMAIN_REFUSALS.notFound();
    const limited = limits.allow('settingsByAccount', account.id) ?? limitRecheck(parts, account, params.id);
    if (limited) return limited;
    const changed = await changeMonitorAlerts(store, key, settingsFromWire(body), now);
    if (changed === 'premium_required')
      return refuse('premium_required', 'Different steps for single domains require Premium.');
    const data = changed === 'changed' ? await domainAlertsWire(parts, { ...key, now }) : null;
    return data === null ? DOMAIN_REFUSALS.notFound() : { data };
  });

  api.on(CALLS.subscribeDomain, async ({ params, session: { account }, now }) => {
    const key = { accountId: account.id, monitorId: params.id };
    if ((await findMonitor(store, key)) === null) return DOMAIN_REFUSALS.notFound();
    // Resubscribe only the account's own address. At other addresses the recipients have unsubscribed, and the account must not
    // undo their choice.
    await setUnsubscribed(store, { ...key, channelKey: ACCOUNT_MAIL }, { choice: 'none', now });
    const data = await domainAlertsWire(parts, { ...key, now });
    return data === null ? DOMAIN_REFUSALS.notFound() : { data };
  });
}

/** Returns the next alerts that the settings in `body` would send, soonest first, and the number of further ones. */
async function previewAlerts(
  forecast: AlertForecastInput,
  { domain_id: monitorId, quiet_hours: quiet, steps }: Parsed<typeof CALLS.previewAlerts, 'body'>,
  now: number,
) {
  const tried: SettingsToTry = {
    ...settingsFromWire({ steps }),
    ...(quiet !== undefined && { quietHours: quietHoursFromWire(quiet) }),
  };
  const level = monitorId === undefined ? 'account' : 'domain';
  const until = iso(now + PREVIEW_SPAN_MS);
  let soonest: PlannedAlertWire[] = [];
  // Count the domains of each alert, because one alert covers all domains that serve the certificate.
  const domainCounts = new Map<string, number>();
  for await (const monitor of forecast.monitors()) {
    const planned = plannedAlerts(monitor, forecast, { tried, level, now });
    // For a single domain, count all alerts; for an account, only the alerts of the next 90 days.
    const counted = planned.filter(({ at }) => monitorId !== undefined || at < until);
    for (const alert of counted)
      domainCounts.set(alertKey(alert), (domainCounts.get(alertKey(alert)) ?? 0) + 1);
    // Keep the earliest time of each alert: it is sent when it is due for the first of its domains.
    const inOrder = [...soonest, ...counted].toSorted((a, b) => (a.at < b.at ? -1 : 1));
    soonest = [...Map.groupBy(inOrder, alertKey).values()]
      .flatMap(([first]) => first ?? [])
      .slice(0, MAX_PREVIEWED);
  }
  const alerts = soonest.map((alert) => ({
    ...alert,
    domain_count: domainCounts.get(alertKey(alert)) ?? 1,
  }));
  return { alerts, more: domainCounts.size - alerts.length };
}

const MAX_PLANNED = 20;

/** Returns a domain's incidents, alert settings, planned and sent alerts; null if the account has no such domain. */
async function domainAlertsWire(
  { store, config }: Pick<AppParts, 'store' | 'config'>,
  { accountId, monitorId, now }: { accountId: string; monitorId: string; now: number },
): Promise<DomainAlertsWire | null> {
  const key = { accountId, monitorId };
  const monitor = await findMonitor(store, key);
  if (monitor === null) return null;
  const context = await routingContext(store.db, { ...key, now }, store);
  const { timeZone, channels, settings } = context;
  const wording = { productName: config.productName, now };
  const incidents = await incidentsOf(store.db, { ...key, since: now - WEEK_MS });
  const sent = await sentAlerts(store, key);
  const hasRecipient = routeAlert({ severity: 'critical' }, { ...context, now }).length > 0;
  const quietUntil = sendAt(now, 'warning', { quietHours: settings.quietHours, timeZone });
  const planned = [];
  const forecast = await readAlertForecastInput(store, { ...key, now });
  if (hasRecipient)
    for await (const one of forecast.monitors()) planned.push(...plannedAlerts(one, forecast, { now }));
  return {
    incidents: incidents.map((incident) =>
      incidentWire(incident, { displayName: displayName(monitor), now }),
    ),
    is_told: hasRecipient,
    planned: planned.slice(0, MAX_PLANNED),
    sent: sent.map((one) => sentAlertWire(one, wording)),
    own: ownSettingsWire(await domainSettingsOf(store, key)),
    effective: settingsWire(settings),
    maintenance_until: isoOrNull(context.maintenanceUntil),
    quiet_until: isoOrNull(quietUntil > now ? quietUntil : null),
    unsubscribed: channels.filter((channel) => channel.isUnsubscribed).map((channel) => channel.key),
  };
}

import type { z } from 'zod';
import {
  accountAlertsSchema,
  alertIncidentSchema,
  calendarCreatedSchema,
  domainAlertsSchema,
  maintenanceWindowSchema,
  previewSchema,
} from '../../../contract/alerting.ts';
import type {
  addMaintenanceWindowSchema,
  changeAccountAlertsSchema,
  previewAlertsSchema,
  AccountAlertsWire,
  AlertIncidentWire,
  DomainAlertSettingsWire,
  DomainAlertsWire,
  MaintenanceWindowWire,
} from '../../../contract/alerting.ts';
import { nothing, wrapped } from '../../../contract/calls/call.ts';
import { api } from '../api-client.ts';

const accountAnswer = wrapped(accountAlertsSchema);
const domainAnswer = wrapped(domainAlertsSchema);
const previewAnswer = wrapped(previewSchema);
const calendarAnswer = wrapped(calendarCreatedSchema);
const windowAnswer = wrapped(maintenanceWindowSchema);
const windowsAnswer = wrapped(maintenanceWindowSchema.array());
const incidentAnswer = wrapped(alertIncidentSchema);

export type AccountAlertsChange = z.input<typeof changeAccountAlertsSchema>;
export type PreviewQuestion = z.input<typeof previewAlertsSchema>;
export type Preview = z.output<typeof previewSchema>;
export type NewMaintenanceWindow = z.input<typeof addMaintenanceWindowSchema>;

const ofDomain = (id: string) => `/domain/${encodeURIComponent(id)}/alerts`;
const ofIncident = (id: string) => `/incidents/${encodeURIComponent(id)}`;

/** What the account is told of and when, its digest and its calendar. */
export async function fetchAccountAlerts(signal: AbortSignal): Promise<AccountAlertsWire> {
  return (await api('/alerts', { schema: accountAnswer, signal })).data;
}

export async function changeAccountAlerts(change: AccountAlertsChange): Promise<AccountAlertsWire> {
  return (await api('/alerts', { method: 'PATCH', body: change, schema: accountAnswer })).data;
}

/** What would be sent with these steps if nobody renewed; nothing changes. */
export async function previewAlerts(question: PreviewQuestion, signal: AbortSignal): Promise<Preview> {
  return (await api('/alerts/preview', { method: 'POST', body: question, schema: previewAnswer, signal }))
    .data;
}

/** Makes the secret address of the calendar, told this once; the one before ends. */
export async function makeCalendar(): Promise<string> {
  return (await api('/alerts/calendar', { method: 'POST', schema: calendarAnswer })).data.url;
}

export async function removeCalendar(): Promise<void> {
  await api('/alerts/calendar', { method: 'DELETE', schema: nothing });
}

/** Windows that go on or come, soonest first. */
export async function fetchMaintenance(signal: AbortSignal): Promise<MaintenanceWindowWire[]> {
  return (await api('/maintenance', { schema: windowsAnswer, signal })).data;
}

export async function addMaintenance(window: NewMaintenanceWindow): Promise<MaintenanceWindowWire> {
  return (await api('/maintenance', { method: 'POST', body: window, schema: windowAnswer })).data;
}

export async function removeMaintenance(id: string): Promise<void> {
  await api(`/maintenance/${encodeURIComponent(id)}`, { method: 'DELETE', schema: nothing });
}

/** What was told of a domain, what will be, and what is wrong with it. */
export async function fetchDomainAlerts(id: string, signal: AbortSignal): Promise<DomainAlertsWire> {
  return (await api(ofDomain(id), { schema: domainAnswer, signal })).data;
}

/** Replaces what a domain does otherwise than its account; an empty object: nothing. */
export async function changeDomainAlerts(
  id: string,
  own: DomainAlertSettingsWire,
): Promise<DomainAlertsWire> {
  return (await api(ofDomain(id), { method: 'PATCH', body: own, schema: domainAnswer })).data;
}

/** "I know": reminds no more, but of the worst and of the end; or takes that back. */
export async function acknowledgeIncident(id: string, acknowledged: boolean): Promise<AlertIncidentWire> {
  const path = `${ofIncident(id)}/acknowledge`;
  return (await api(path, { method: 'POST', body: { acknowledged }, schema: incidentAnswer })).data;
}

/** Nobody is told before `until` (ms UTC); null ends it. */
export async function snoozeIncident(id: string, until: number | null): Promise<AlertIncidentWire> {
  const path = `${ofIncident(id)}/snooze`;
  const body = { until: until === null ? null : new Date(until).toISOString() };
  return (await api(path, { method: 'POST', body, schema: incidentAnswer })).data;
}

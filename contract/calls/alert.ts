import {
  accountAlertsSchema,
  acknowledgeSchema,
  addMaintenanceWindowSchema,
  alertIncidentSchema,
  calendarCreatedSchema,
  changeAccountAlertsSchema,
  confirmedRecipientSchema,
  domainAlertSettingsSchema,
  domainAlertsSchema,
  mailedTokenSchema,
  maintenanceWindowSchema,
  previewAlertsSchema,
  previewSchema,
  snoozeSchema,
  unsubscribeSchema,
  unsubscribeSubjectSchema,
} from '../alerting.ts';
import { z } from 'zod';
import { type Call, cursorQuerySchema, emptyEnvelope, envelope, idParams, nextCursor } from './call.ts';
import {
  addChannelSchema,
  changeChannelSchema,
  channelAddedSchema,
  channelSchema,
  channelSecretSchema,
  deliveryListSchema,
  deliverySchema,
} from '../channel.ts';

/** Path parameters of a channel. `key` is `OWN_MAIL` or the id of an added channel. */
const channelParams = z.object({ key: z.union([z.literal('email'), z.uuid()]) });

// Calls for channels, deliveries, alert settings, the calendar feed, maintenance, incidents and mail recipients.

export const listChannels = {
  method: 'get',
  path: '/channels',
  access: 'session',
  scope: 'read',
  summary: 'List the channels: mail to the account’s own address, then the added channels, oldest first',
  response: envelope(z.array(channelSchema)),
  status: 200,
  problems: [],
} as const satisfies Call;

export const addChannel = {
  method: 'post',
  path: '/channels',
  access: 'session',
  scope: 'write',
  idempotent: true,
  shownOnce: ['secret'],
  needs: {
    premium: 'Channels other than your own email require Premium.',
    verified: 'Confirm your address to send alerts to channels other than your own email.',
  },
  cost: ['channelsByAccount'],
  summary: 'Add a notification channel; an email address gets a confirmation link',
  body: addChannelSchema,
  response: envelope(channelAddedSchema),
  status: 200,
  problems: [
    'premium_required',
    'email_not_verified',
    'too_many_channels',
    'channel_exists',
    'channel_refused',
  ],
} as const satisfies Call;

export const changeChannel = {
  method: 'patch',
  path: '/channels/{key}',
  access: 'session',
  scope: 'write',
  cost: ['channelsByAccount'],
  summary:
    'Change a channel, or switch it on or off; the account’s own address accepts only `enabled: true`, which sends alerts to it again',
  params: channelParams,
  body: changeChannelSchema,
  response: envelope(channelSchema),
  status: 200,
  problems: ['not_found', 'premium_required', 'email_not_verified', 'channel_refused', 'channel_exists'],
} as const satisfies Call;

export const removeChannel = {
  method: 'delete',
  path: '/channels/{key}',
  access: 'session',
  scope: 'write',
  summary: 'Remove a channel and cancel its waiting deliveries',
  params: channelParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const testChannel = {
  method: 'post',
  path: '/channels/{key}/test',
  access: 'session',
  scope: 'write',
  idempotent: true,
  summary: 'Send a test message; poll the returned delivery until `settled_at` is set',
  params: channelParams,
  response: envelope(deliverySchema),
  status: 200,
  problems: ['not_found', 'premium_required', 'email_not_verified', 'channel_closed'],
} as const satisfies Call;

export const rotateSecret = {
  method: 'post',
  path: '/channels/{key}/secret',
  access: 'session',
  idempotent: true,
  shownOnce: ['secret'],
  summary: 'Rotate the signing key of a webhook; the previous key also signs for 24 hours',
  params: channelParams,
  response: envelope(channelSecretSchema),
  status: 200,
  problems: ['not_found', 'channel_closed'],
} as const satisfies Call;

export const channelDeliveries = {
  method: 'get',
  path: '/channels/{key}/deliveries',
  access: 'session',
  scope: 'read',
  summary: 'List the deliveries of a channel with their attempts, newest first; `limit` is 50 by default',
  params: channelParams,
  query: cursorQuerySchema,
  response: envelope(deliveryListSchema).extend({ next_cursor: nextCursor }),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const delivery = {
  method: 'get',
  path: '/deliveries/{id}',
  access: 'session',
  scope: 'read',
  summary: 'Get a delivery with its attempts',
  params: idParams,
  response: envelope(deliverySchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const replayDelivery = {
  method: 'post',
  path: '/deliveries/{id}/replay',
  access: 'session',
  scope: 'write',
  idempotent: true,
  summary: 'Send a delivered, failed or superseded message again, with the same id',
  params: idParams,
  response: envelope(deliverySchema),
  status: 200,
  problems: ['not_found', 'premium_required', 'email_not_verified', 'channel_closed'],
} as const satisfies Call;

export const accountAlerts = {
  method: 'get',
  path: '/alerts',
  access: 'session',
  scope: 'read',
  summary: 'Get the account’s alert settings, digest and calendar feed',
  response: envelope(accountAlertsSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const changeAccountAlerts = {
  method: 'patch',
  path: '/alerts',
  access: 'session',
  scope: 'write',
  cost: ['settingsByAccount'],
  summary:
    'Change the account’s alert settings and digest; omitted fields keep their value, also inside `settings`',
  body: changeAccountAlertsSchema,
  response: envelope(accountAlertsSchema),
  status: 200,
  problems: ['premium_required'],
} as const satisfies Call;

export const previewAlerts = {
  method: 'post',
  path: '/alerts/preview',
  access: 'session',
  scope: 'read',
  cost: ['previewByAccount'],
  summary: 'Preview the alerts that these steps would send if no certificate were renewed; changes nothing',
  body: previewAlertsSchema,
  response: envelope(previewSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const makeCalendar = {
  method: 'post',
  path: '/alerts/calendar',
  access: 'session',
  idempotent: true,
  shownOnce: ['url'],
  cost: ['settingsByAccount'],
  summary: 'Create a secret calendar URL; the previous one stops working',
  response: envelope(calendarCreatedSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const removeCalendar = {
  method: 'delete',
  path: '/alerts/calendar',
  access: 'session',
  summary: 'Remove the secret calendar URL',
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

export const listMaintenance = {
  method: 'get',
  path: '/maintenance',
  access: 'session',
  scope: 'read',
  summary: 'List current and upcoming maintenance windows, soonest first',
  response: envelope(z.array(maintenanceWindowSchema)),
  status: 200,
  problems: [],
} as const satisfies Call;

export const addMaintenance = {
  method: 'post',
  path: '/maintenance',
  access: 'session',
  scope: 'write',
  idempotent: true,
  cost: ['settingsByAccount'],
  summary: 'Add a maintenance window; no alerts are sent during it',
  body: addMaintenanceWindowSchema,
  response: envelope(maintenanceWindowSchema),
  status: 200,
  problems: ['not_found', 'too_many_windows'],
} as const satisfies Call;

export const removeMaintenance = {
  method: 'delete',
  path: '/maintenance/{id}',
  access: 'session',
  scope: 'write',
  summary: 'End or cancel a maintenance window',
  params: idParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainAlerts = {
  method: 'get',
  path: '/domain/{id}/alerts',
  access: 'session',
  scope: 'read',
  summary: 'Get the incidents, sent and planned alerts, and alert settings of a domain',
  params: idParams,
  response: envelope(domainAlertsSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const changeDomainAlerts = {
  method: 'patch',
  path: '/domain/{id}/alerts',
  access: 'session',
  scope: 'write',
  summary:
    'Replace a domain’s overrides of the alert settings; an empty object removes them, and overriding `steps` requires Premium',
  params: idParams,
  body: domainAlertSettingsSchema,
  response: envelope(domainAlertsSchema),
  status: 200,
  problems: ['not_found', 'premium_required'],
} as const satisfies Call;

export const subscribeDomain = {
  method: 'post',
  path: '/domain/{id}/alerts/subscribe',
  access: 'session',
  scope: 'write',
  summary: 'Resubscribe the account’s own address to mail about a domain',
  params: idParams,
  response: envelope(domainAlertsSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const acknowledgeIncident = {
  method: 'post',
  path: '/incidents/{id}/acknowledge',
  access: 'session',
  scope: 'write',
  summary:
    'Acknowledge an incident to stop its alerts except at expiry and recovery, or undo the acknowledgement',
  params: idParams,
  body: acknowledgeSchema,
  response: envelope(alertIncidentSchema),
  status: 200,
  problems: ['not_found', 'email_not_verified'],
} as const satisfies Call;

export const snoozeIncident = {
  method: 'post',
  path: '/incidents/{id}/snooze',
  access: 'session',
  scope: 'write',
  summary: 'Snooze the alerts of an incident until a given time; null ends the snooze',
  params: idParams,
  body: snoozeSchema,
  response: envelope(alertIncidentSchema),
  status: 200,
  problems: ['not_found', 'email_not_verified'],
} as const satisfies Call;

export const calendar = {
  method: 'get',
  path: '/calendar/{file}',
  access: 'public',
  summary:
    'Get the calendar feed of expiry dates and renewal times; the secret URL is the only authentication',
  params: z.object({ file: z.string().regex(/^[\w-]{43}\.ics$/) }),
  response: null,
  mediaType: 'text/calendar',
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const confirmRecipient = {
  method: 'post',
  path: '/recipients/confirm',
  access: 'public',
  summary: 'Confirm an email address for alerts, with the token of the mailed link',
  body: mailedTokenSchema,
  response: envelope(confirmedRecipientSchema),
  status: 200,
  problems: ['invalid_token'],
} as const satisfies Call;

export const unsubscribeSubject = {
  method: 'post',
  path: '/recipients/subscription',
  access: 'public',
  summary: 'Get the domain or digest of an unsubscribe link, and what its recipient is unsubscribed from',
  body: mailedTokenSchema,
  response: envelope(unsubscribeSubjectSchema),
  status: 200,
  problems: ['invalid_token'],
} as const satisfies Call;

export const unsubscribe = {
  method: 'patch',
  path: '/recipients/subscription',
  access: 'public',
  summary: 'Unsubscribe from mail about a domain, from the digest or from all mail, or resubscribe',
  body: unsubscribeSchema,
  response: envelope(unsubscribeSubjectSchema),
  status: 200,
  problems: ['invalid_token'],
} as const satisfies Call;

export const unsubscribeAtOnce = {
  method: 'post',
  path: '/unsubscribe/{token}',
  access: 'public',
  summary:
    'Unsubscribe with one click (RFC 8058) from the domain or the digest, by a form with List-Unsubscribe=One-Click; only this call accepts the token of the List-Unsubscribe header',
  params: mailedTokenSchema,
  response: emptyEnvelope,
  status: 200,
  problems: ['invalid_token'],
} as const satisfies Call;

export const openUnsubscribeAddress = {
  method: 'get',
  path: '/unsubscribe/{token}',
  access: 'public',
  summary: 'Redirect to the unsubscribe page when somebody opens the URL of a List-Unsubscribe header',
  params: mailedTokenSchema,
  response: null,
  status: 302,
  problems: [],
} as const satisfies Call;

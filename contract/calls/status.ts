import { z } from 'zod';
import { type Call, emptyEnvelope, envelope, idParams } from './call.ts';
import {
  badgeSchema,
  pageAddressAnswerSchema,
  pageAddressQuerySchema,
  pageAddressSchema,
  previewStatusPageSchema,
  publicStatusSchema,
  saveStatusPageSchema,
  statusPageSchema,
  statusPreviewSchema,
} from '../status-page.ts';

// Calls for status pages, badges and Prometheus metrics.

export const statusPage = {
  method: 'get',
  path: '/status-page',
  access: 'session',
  scope: 'read',
  summary: 'Get the settings of the status page, even while it is off',
  response: envelope(statusPageSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const saveStatusPage = {
  method: 'patch',
  path: '/status-page',
  access: 'session',
  scope: 'write',
  summary: 'Change the status page or switch it on or off; the first call needs `title` and `slug`',
  body: saveStatusPageSchema,
  response: envelope(statusPageSchema),
  status: 200,
  problems: ['not_found', 'email_not_verified', 'address_taken'],
} as const satisfies Call;

export const previewStatusPage = {
  method: 'post',
  path: '/status-page/preview',
  access: 'session',
  scope: 'read',
  cost: ['previewByAccount'],
  summary: 'Preview the status page with these settings; changes nothing',
  body: previewStatusPageSchema,
  response: envelope(statusPreviewSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const pageAddress = {
  method: 'get',
  path: '/status-page/address',
  access: 'session',
  scope: 'read',
  cost: ['previewByAccount'],
  summary: 'Check whether a slug is available for a status page',
  query: pageAddressQuerySchema,
  response: envelope(pageAddressAnswerSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const publicStatus = {
  method: 'get',
  path: '/status/{slug}',
  access: 'public',
  cost: ['statusByAddress'],
  summary: 'Get the public content of a status page',
  params: z.object({ slug: pageAddressSchema }),
  response: envelope(publicStatusSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainBadge = {
  method: 'get',
  path: '/domain/{id}/badge',
  access: 'session',
  scope: 'read',
  summary: 'Get the URL of a domain’s badge; null if the badge is off',
  params: idParams,
  response: envelope(badgeSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const makeBadge = {
  method: 'post',
  path: '/domain/{id}/badge',
  access: 'session',
  scope: 'write',
  summary: 'Switch the badge on; keeps the URL if it is on already',
  params: idParams,
  response: envelope(badgeSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const removeBadge = {
  method: 'delete',
  path: '/domain/{id}/badge',
  access: 'session',
  scope: 'write',
  summary: 'Switch the badge off; its URL never works again',
  params: idParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const accountMetrics = {
  method: 'get',
  path: '/account/metrics',
  access: 'session',
  scope: 'metrics',
  cost: ['metricsByAccount'],
  summary:
    'Get metrics of the domains for Prometheus: days left, valid, revoked, up, response time, age of the last check',
  response: null,
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  status: 200,
  problems: [],
} as const satisfies Call;

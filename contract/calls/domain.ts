import { z } from 'zod';
import { type Call, cursorQuerySchema, envelope, idParams, nextCursor } from './call.ts';
import { historyDiffQuerySchema, historyDiffSchema, reportSchema } from '../domain-report.ts';
import {
  addDomainSchema,
  bulkResultSchema,
  bulkSchema,
  chainCertificateSchema,
  csvQuerySchema,
  describeDomainSchema,
  domainListSchema,
  domainSchema,
  frequencyQuerySchema,
  historyEntrySchema,
  listQuerySchema,
  summarySchema,
} from '../domain.ts';
import { domainGroupsSchema, groupsQuerySchema } from '../domain-groups.ts';
import { uptimeSchema } from '../uptime.ts';

/** Ids of the matching domains in list order, at most 10,000. */
const domainIdsSchema = z.object({
  ids: z.array(z.string()),
  /** Number of all matching domains. */
  total: z.number().int(),
  /** Days (UTC) on which the certificates of the domains in `ids` expire, e.g. '2026-11-22', in order. */
  expiry_days: z.array(z.string()),
  /** Tags of the domains in `ids`, in alphabetical order. If there are more than 500, any 500 of them. */
  tags: z.array(z.string()),
});

/** What is known of a host before it is added. */
const hostLookupSchema = z
  .object({
    /** Display name, in the form that domains have. */
    display_name: z.string(),
    /** The domain of the account with this host, port and target; null if there is none. */
    domain_id: z.string().nullable(),
    /** Whether DNS has an address for the name that this server may connect to; null if DNS did not answer in time. */
    in_dns: z.boolean().nullable(),
  })
  .meta({ id: 'HostLookup' });

/** Body of a resume call. If the plan's limit is reached, the domain `instead_of` is paused in the same transaction. */
const resumeSchema = z.object({ instead_of: z.uuid().optional() });

/** Sentence that names the limit that prevented certificates from being stored in the last 30 days; null if all were stored. */
const notKeptSchema = z.string().nullable().default(null);

export const listDomains = {
  method: 'get',
  path: '/domain/list',
  access: 'session',
  scope: 'read',
  summary: 'List domains, paginated by page number or cursor',
  query: listQuerySchema,
  response: domainListSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const domainSummary = {
  method: 'get',
  path: '/domain/summary',
  access: 'session',
  scope: 'read',
  summary: 'Get the number of domains by state, their expiry dates, and the domains that need attention',
  response: envelope(summarySchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const domainIds = {
  method: 'get',
  path: '/domain/ids',
  access: 'session',
  scope: 'read',
  summary: 'List the ids of the matching domains, in list order',
  query: csvQuerySchema,
  response: envelope(domainIdsSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const domainGroups = {
  method: 'get',
  path: '/domain/groups',
  access: 'session',
  scope: 'read',
  cost: ['searchesByAccount'],
  summary: 'Count the matching domains by tag, issuer or state',
  query: groupsQuerySchema,
  response: envelope(domainGroupsSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const exportDomains = {
  method: 'get',
  path: '/domain/export',
  access: 'session',
  scope: 'read',
  cost: ['csvByAccount'],
  summary: 'Export the matching domains as CSV; cells are escaped so that spreadsheets run no formulas',
  query: csvQuerySchema,
  response: null,
  mediaType: 'text/csv',
  status: 200,
  problems: [],
} as const satisfies Call;

export const actOnDomains = {
  method: 'post',
  path: '/domain/bulk',
  access: 'session',
  scope: 'write',
  cost: ['bulkByAccount'],
  summary:
    'Check, pause, resume, remove or tag many domains, or change their check interval; each gets its own result',
  body: bulkSchema,
  response: envelope(bulkResultSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const domain = {
  method: 'get',
  path: '/domain/{id}',
  access: 'session',
  scope: 'read',
  summary: 'Get a domain',
  params: idParams,
  response: envelope(domainSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const describeDomain = {
  method: 'patch',
  path: '/domain/{id}',
  access: 'session',
  scope: 'write',
  summary: 'Change the notes and tags of a domain',
  params: idParams,
  body: describeDomainSchema,
  response: envelope(domainSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainChain = {
  method: 'get',
  path: '/domain/{id}/chain',
  access: 'session',
  scope: 'read',
  summary: 'Get the certificate chain that the endpoint last sent, with PEM',
  params: idParams,
  response: envelope(z.array(chainCertificateSchema)),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainReport = {
  method: 'get',
  path: '/domain/{id}/report',
  access: 'session',
  scope: 'read',
  cost: ['reportByAccount'],
  summary: 'Get the full report of the last check, with fixes',
  params: idParams,
  response: envelope(reportSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainUptime = {
  method: 'get',
  path: '/domain/{id}/uptime',
  access: 'session',
  scope: 'read',
  summary: 'Get recent checks, incidents and response times, for the number of days that the plan includes',
  params: idParams,
  response: envelope(uptimeSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const historyDiff = {
  method: 'get',
  path: '/domain/{id}/history/diff',
  access: 'session',
  scope: 'read',
  summary: 'Compare two certificates of the history',
  params: idParams,
  query: historyDiffQuerySchema,
  response: envelope(historyDiffSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainFavicon = {
  method: 'get',
  path: '/domain/{id}/favicon',
  access: 'session',
  scope: 'read',
  summary: 'Get the icon of the site from our cache, as a raster image',
  params: idParams,
  response: null,
  mediaType: 'image/*',
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const lookUpHost = {
  method: 'get',
  path: '/domain/lookup',
  access: 'session',
  scope: 'read',
  cost: ['lookupByAccount'],
  summary:
    'Look up a host before adding it: whether the account has it already, and whether DNS has an address for it',
  query: addDomainSchema,
  response: envelope(hostLookupSchema),
  status: 200,
  problems: ['invalid_host'],
} as const satisfies Call;

export const addDomain = {
  method: 'post',
  path: '/domain/add',
  access: 'session',
  scope: 'write',
  idempotent: true,
  cost: ['addByAccount'],
  summary: 'Add a domain; waits up to 5 s for its first check, unless asked by `Prefer: respond-async`',
  body: addDomainSchema,
  response: envelope(domainSchema),
  status: 200,
  problems: ['invalid_host', 'host_refused', 'limit_reached', 'domain_exists', 'email_not_verified'],
} as const satisfies Call;

export const removeDomain = {
  method: 'delete',
  path: '/domain/{id}',
  access: 'session',
  scope: 'write',
  summary: 'Remove a domain and its history; returns the removed domain or null',
  params: idParams,
  response: envelope(domainSchema.nullable()),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const domainHistory = {
  method: 'get',
  path: '/domain/{id}/history',
  access: 'session',
  scope: 'read',
  summary:
    'List the certificates of a domain, newest first: the 1,000 seen most recently or, with `limit` or `cursor`, all of them in pages, in the order of first appearance',
  params: idParams,
  query: cursorQuerySchema,
  response: envelope(z.array(historyEntrySchema)).extend({
    next_cursor: nextCursor,
    not_kept: notKeptSchema,
  }),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const setFrequency = {
  method: 'patch',
  path: '/domain/{id}/frequency',
  access: 'session',
  scope: 'write',
  summary: 'Set the check interval of a domain in minutes',
  params: idParams,
  query: frequencyQuerySchema,
  response: envelope(domainSchema),
  status: 200,
  problems: ['not_found', 'premium_required'],
} as const satisfies Call;

export const checkDomain = {
  method: 'post',
  path: '/domain/{id}/check',
  access: 'session',
  scope: 'write',
  cost: ['checkByAccount'],
  summary: 'Request a check now; the result arrives as a server-sent event',
  params: idParams,
  response: envelope(domainSchema),
  status: 202,
  problems: ['not_found', 'domain_paused', 'email_not_verified'],
} as const satisfies Call;

export const pauseDomain = {
  method: 'post',
  path: '/domain/{id}/pause',
  access: 'session',
  scope: 'write',
  summary: 'Pause the checks of a domain and keep its history; no effect if it is paused already',
  params: idParams,
  response: envelope(domainSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const resumeDomain = {
  method: 'post',
  path: '/domain/{id}/resume',
  access: 'session',
  scope: 'write',
  // Resuming triggers a check, so it shares the limits of manual checks.
  cost: ['checkByAccount'],
  summary: 'Resume a paused domain; at the plan’s limit, pause another one in the same transaction',
  params: idParams,
  body: resumeSchema,
  response: envelope(domainSchema),
  status: 200,
  problems: ['not_found', 'limit_reached', 'email_not_verified'],
} as const satisfies Call;

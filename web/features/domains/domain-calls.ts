import { z } from 'zod';
import {
  domainListSchema,
  domainSchema,
  historyEntrySchema,
  notKeptSchema,
  summarySchema,
} from '../../../contract/domain.ts';
import type { DomainWire, SummaryWire } from '../../../contract/domain.ts';
import { api } from '../../lib/api-client.ts';
import type { ListFilter } from './domain-filter.ts';
import type { DomainPage } from './list/list-cache.ts';

const oneDomain = z.object({ data: domainSchema });
const history = z.object({ data: z.array(historyEntrySchema), not_kept: notKeptSchema });
const summary = z.object({ data: summarySchema });

/** One page of a list; pages count from 1. */
export function fetchDomainPage(
  { q, status, tag, sort }: ListFilter,
  page: number,
  signal: AbortSignal,
): Promise<DomainPage> {
  const query = new URLSearchParams({ page: String(page) });
  for (const [name, value] of Object.entries({ q, status, tag }))
    if (value !== undefined) query.set(name, value);
  // The list as the server orders it by itself is asked for in the specified words.
  if (sort !== 'newest') query.set('sort', sort);
  return api(`/domain/list?${query.toString()}`, {
    schema: domainListSchema,
    failureText: 'Failed to get me.',
    signal,
  });
}

export async function fetchDomain(id: string, signal: AbortSignal): Promise<DomainWire> {
  return (await api(`/domain/${encodeURIComponent(id)}`, { schema: oneDomain, signal })).data;
}

export async function fetchSummary(signal: AbortSignal): Promise<SummaryWire> {
  return (await api('/domain/summary', { schema: summary, signal })).data;
}

/** The certificates seen at the host, newest first. */
export async function fetchHistory(id: string, signal: AbortSignal): Promise<z.infer<typeof history>> {
  const path = `/domain/${encodeURIComponent(id)}/history`;
  return api(path, { schema: history, failureText: 'Failed to get me.', signal });
}

/** Answers after the first check, or after 5 s without its result. Rejects with status 402 at the plan's limit. */
export async function addDomain(host: string): Promise<DomainWire> {
  return (await api('/domain/add', { method: 'POST', body: { host }, schema: oneDomain })).data;
}

export async function removeDomain(id: string): Promise<void> {
  await api(`/domain/${encodeURIComponent(id)}`, {
    method: 'DELETE',
    schema: z.unknown(),
    failureText: 'Failed to delete domain.',
  });
}

export async function changeFrequency(id: string, minutes: number): Promise<DomainWire> {
  const path = `/domain/${encodeURIComponent(id)}/frequency?check_frequency=${minutes}`;
  return (await api(path, { method: 'PATCH', schema: oneDomain })).data;
}

/** Stops its checks; it keeps its history. */
export async function pauseDomain(id: string): Promise<DomainWire> {
  return (await api(`/domain/${encodeURIComponent(id)}/pause`, { method: 'POST', schema: oneDomain })).data;
}

/**
 * Checks it again, where the plan is full in the place of another domain, which is paused in the same step. Rejects with
 * status 402 where the plan is full and none was named.
 */
export async function resumeDomain(id: string, insteadOf?: string): Promise<DomainWire> {
  const path = `/domain/${encodeURIComponent(id)}/resume`;
  const body = insteadOf === undefined ? {} : { instead_of: insteadOf };
  return (await api(path, { method: 'POST', body, schema: oneDomain })).data;
}

/** Asks for a check now; the result arrives as an event. */
export async function requestCheck(id: string): Promise<DomainWire> {
  return (await api(`/domain/${encodeURIComponent(id)}/check`, { method: 'POST', schema: oneDomain })).data;
}

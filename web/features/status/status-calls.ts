import type { z } from 'zod';
import { wrapped } from '../../../contract/calls/call.ts';
import { domainListSchema, summarySchema } from '../../../contract/domain.ts';
import {
  pageAddressAnswerSchema,
  publicStatusSchema,
  statusPageSchema,
} from '../../../contract/status-page.ts';
import type { StatusPageChange, StatusPageChoices } from '../../../contract/status-page.ts';
import { api } from '../../lib/api-client.ts';

const pageAnswer = wrapped(statusPageSchema);
const previewAnswer = wrapped(publicStatusSchema);
const addressAnswer = wrapped(pageAddressAnswerSchema);
const summaryAnswer = wrapped(summarySchema);

export const STATUS_PAGE_KEY = ['status-page'];

export async function fetchStatusPage(signal: AbortSignal) {
  return (await api('/status-page', { schema: pageAnswer, signal })).data;
}

export async function saveStatusPage(change: StatusPageChange) {
  return (await api('/status-page', { method: 'PATCH', body: change, schema: pageAnswer })).data;
}

/** What the page would show to anybody; nothing changes. */
export async function previewStatusPage(choices: StatusPageChoices, signal: AbortSignal) {
  return (await api('/status-page/preview', { method: 'POST', body: choices, schema: previewAnswer, signal }))
    .data;
}

export async function checkAddress(
  slug: string,
  signal: AbortSignal,
): Promise<z.output<typeof pageAddressAnswerSchema>> {
  const query = new URLSearchParams({ slug });
  return (await api(`/status-page/address?${query}`, { schema: addressAnswer, signal })).data;
}

export async function fetchTags(signal: AbortSignal): Promise<string[]> {
  const { data } = await api('/domain/summary', { schema: summaryAnswer, signal });
  return data.tags.map(({ tag }) => tag);
}

export interface NamedDomain {
  id: string;
  name: string;
  /** Its A-label or IP address, with the port. */
  endpoint: string;
}

/** The endpoint that was typed, as a name in either form or as an address of a page; null for none. */
export function endpointOf(typed: string): string | null {
  const address = `https://${typed.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`;
  if (!URL.canParse(address)) return null;
  const { hostname, port } = new URL(address);
  return `${hostname.replace(/^\[|\]$|\.$/g, '')}:${port || '443'}`;
}

/** The first domains that fit what is typed. */
export async function searchDomains(typed: string, signal?: AbortSignal): Promise<NamedDomain[]> {
  const query = new URLSearchParams({ sort: 'name', ...(typed !== '' && { q: typed }) });
  const { data } = await api(`/domain/list?${query}`, { schema: domainListSchema, signal });
  return data.map(({ id, display_name: name, hostname, port }) => ({
    id,
    name,
    endpoint: `${hostname}:${port}`,
  }));
}

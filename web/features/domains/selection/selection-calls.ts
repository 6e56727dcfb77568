import { z } from 'zod';
import { bulkResultSchema, domainIdsSchema } from '../../../../contract/domain.ts';
import type { BulkRequest, BulkResult, DomainFilter, DomainSort } from '../../../../contract/domain.ts';
import { api, call } from '../../../lib/api-client.ts';

/** Which domains the list shows, and in which order. */
export type ListedDomains = DomainFilter & { sort?: DomainSort | undefined };

const idsAnswer = z.object({ data: domainIdsSchema });
const bulkAnswer = z.object({ data: bulkResultSchema });

function queryOf({ q, status, tag, sort }: ListedDomains): string {
  const parts = Object.entries({ q, status, tag, sort }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(parts as [string, string][]).toString();
  return query === '' ? '' : `?${query}`;
}

/** The ids of everything that is listed, loaded or not: at most 10,000, and how many there are. */
export async function fetchDomainIds(
  listed: ListedDomains,
  signal?: AbortSignal,
): Promise<{ ids: string[]; total: number }> {
  return (await api(`/domain/ids${queryOf(listed)}`, { schema: idsAnswer, signal })).data;
}

/** One batch: at most BULK_SIZE ids, each with its own result. */
export async function actOnDomains(request: BulkRequest): Promise<BulkResult> {
  return (await api('/domain/bulk', { method: 'POST', body: request, schema: bulkAnswer })).data;
}

/** The listed domains as a CSV file. */
export async function exportDomains(listed: ListedDomains): Promise<Blob> {
  return (await call(`/domain/export${queryOf(listed)}`)).blob();
}

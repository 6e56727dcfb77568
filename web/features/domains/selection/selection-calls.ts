import { z } from 'zod';
import { bulkResultSchema, domainIdsSchema } from '../../../../contract/domain.ts';
import type { BulkRequest, BulkResult } from '../../../../contract/domain.ts';
import { api, call } from '../../../lib/api-client.ts';
import type { ListFilter } from '../domain-filter.ts';

const idsAnswer = z.object({ data: domainIdsSchema });
const bulkAnswer = z.object({ data: bulkResultSchema });

function queryOf(filter: ListFilter): string {
  return `?${new URLSearchParams({ ...filter })}`;
}

/** The ids of everything that is listed, loaded or not: at most 10,000, and how many there are. */
export async function fetchDomainIds(
  filter: ListFilter,
  signal?: AbortSignal,
): Promise<{ ids: string[]; total: number }> {
  return (await api(`/domain/ids${queryOf(filter)}`, { schema: idsAnswer, signal })).data;
}

/** One batch: at most BULK_SIZE ids, each with its own result. */
export async function actOnDomains(request: BulkRequest): Promise<BulkResult> {
  return (await api('/domain/bulk', { method: 'POST', body: request, schema: bulkAnswer })).data;
}

/** The listed domains as a CSV file, under the name that the server gives it. */
export async function exportDomains(filter: ListFilter): Promise<{ name: string; content: Blob }> {
  const response = await call(`/domain/export${queryOf(filter)}`);
  const [, name = 'domains.csv'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name, content: await response.blob() };
}

import { z } from 'zod';
import { importPreviewSchema, importResultSchema } from '../../../../contract/domain-import.ts';
import type { ImportEntry, ImportPreview, ImportResult } from '../../../../contract/domain-import.ts';
import { api } from '../../../lib/api-client.ts';

const previewAnswer = z.object({ data: importPreviewSchema });
const resultAnswer = z.object({ data: importResultSchema });

/** At most IMPORT_SIZE entries; nothing changes. */
export async function previewImport(entries: ImportEntry[], signal: AbortSignal): Promise<ImportPreview> {
  const request = { method: 'POST', body: { entries }, schema: previewAnswer, signal } as const;
  return (await api('/domain/import/preview', request)).data;
}

/** At most IMPORT_SIZE entries, each with its own result. */
export async function importDomains(entries: ImportEntry[]): Promise<ImportResult> {
  return (await api('/domain/import', { method: 'POST', body: { entries }, schema: resultAnswer })).data;
}

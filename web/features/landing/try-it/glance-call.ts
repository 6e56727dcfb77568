import { z } from 'zod';
import { previewCheckSchema } from '../../../../contract/preview-check.ts';
import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';
import { bodyOf, errorOf, send, understood } from '../../../lib/http.ts';
import { toSnakeCase } from '../../../lib/wire-case.ts';

const answerSchema = z.object({ data: previewCheckSchema });

/** Has the server look at a host once. Throws ApiError. */
export async function glanceAt(host: string, signal: AbortSignal): Promise<PreviewCheckWire> {
  const response = await send('/api/try', { method: 'POST', body: { host }, signal });
  if (!response.ok) throw await errorOf(response);
  return understood(answerSchema, toSnakeCase(await bodyOf(response, signal)), response.status).data;
}

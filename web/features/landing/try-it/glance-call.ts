import { z } from 'zod';
import { glanceSchema } from '../../../../contract/glance.ts';
import type { GlanceWire } from '../../../../contract/glance.ts';
import { bodyOf, errorOf, send, understood } from '../../../lib/http.ts';
import { toSnakeCase } from '../../../lib/wire-case.ts';

const answerSchema = z.object({ data: glanceSchema });

/** Has the server look at a host once. Throws ApiError. */
export async function glanceAt(host: string, signal: AbortSignal): Promise<GlanceWire> {
  const response = await send('/api/try', { method: 'POST', body: { host }, signal });
  if (!response.ok) throw await errorOf(response);
  return understood(answerSchema, toSnakeCase(await bodyOf(response, signal)), response.status).data;
}

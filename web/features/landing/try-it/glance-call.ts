import { z } from 'zod';
import { glanceSchema } from '../../../../contract/glance.ts';
import type { GlanceWire } from '../../../../contract/glance.ts';
import { ApiError } from '../../../lib/api-error.ts';
import { errorOf, send } from '../../../lib/http.ts';
import { toSnakeCase } from '../../../lib/wire-case.ts';

const answerSchema = z.object({ data: glanceSchema });

/** Has the server look at a host once. Throws ApiError. */
export async function glanceAt(host: string, signal: AbortSignal): Promise<GlanceWire> {
  const response = await send('/api/try', { method: 'POST', body: { host }, signal });
  if (!response.ok) throw await errorOf(response);
  const answer = answerSchema.safeParse(toSnakeCase(await response.json().catch(() => null)));
  if (!answer.success)
    throw new ApiError('The server answered in a way this page does not understand', {
      status: response.status,
      cause: answer.error,
    });
  return answer.data.data;
}

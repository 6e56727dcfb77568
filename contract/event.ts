import { z } from 'zod';
import { domainSchema } from './domain.ts';

/** Server-sent events of `GET /events`, discriminated by the SSE event name. */
export const serverEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('domain'), data: domainSchema }),
  z.object({ event: z.literal('domain_removed'), data: z.object({ id: z.string() }) }),
  /** The alerts of a domain changed or, if `domain_id` is null, those of the account or its channels: refetch them. */
  z.object({ event: z.literal('alerts'), data: z.object({ domain_id: z.string().nullable() }) }),
  /** The account's standing may have changed, for example its plan or whether its address accepts mail: refetch it. */
  z.object({ event: z.literal('account'), data: z.object({}) }),
  /** The session ended: refresh it and reconnect, or sign in again. */
  z.object({ event: z.literal('session_ended'), data: z.object({}) }),
]);
export type ServerEvent = z.infer<typeof serverEventSchema>;

import { z } from 'zod';
import { domainSchema } from './domain.ts';

/** Server-sent events of `GET /events`; the SSE event name is the discriminator. */
export const serverEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('domain'), data: domainSchema }),
  z.object({ event: z.literal('domain_removed'), data: z.object({ id: z.string() }) }),
  /** What was or will be told of a domain changed (null: of the account or its channels): ask for it again. */
  z.object({ event: z.literal('alerts'), data: z.object({ domain_id: z.string().nullable() }) }),
  /** The plan, the address or the disabled state of the account changed: ask for its standing again. */
  z.object({ event: z.literal('account'), data: z.object({}) }),
  /** The session is over: reconnect after a refresh, or sign in. */
  z.object({ event: z.literal('session_ended'), data: z.object({}) }),
]);
export type ServerEvent = z.infer<typeof serverEventSchema>;

import { z } from 'zod';

/** `GET /config`: what the page needs to know of this deployment, read at run time. Nothing secret. */
export const publicConfigSchema = z.object({
  product_name: z.string(),
  support_email: z.string(),
  identity: z.object({ provider: z.literal('built-in') }),
  signups: z.enum(['open', 'invite', 'closed']),
  insecure_http: z.boolean(),
  limits: z.object({ free_domains: z.number().int() }),
  /** Hosts that the demo serves, offered on the empty dashboard; empty elsewhere. */
  demo_hosts: z.array(z.string()),
});
export type PublicConfig = z.infer<typeof publicConfigSchema>;

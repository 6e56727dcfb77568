import { z } from 'zod';

/** `GET /config`: what the page needs to know of this deployment, read at run time. Nothing secret. */
export const publicConfigSchema = z.object({
  product_name: z.string(),
  support_email: z.string(),
  identity: z.discriminatedUnion('provider', [
    z.object({
      provider: z.literal('built-in'),
      /** OpenID providers beside email and password; Google has the id `google`. */
      oidc: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
    z.object({
      provider: z.literal('firebase'),
      api_key: z.string(),
      auth_domain: z.string(),
      project_id: z.string(),
      /** Address of the emulator, where one stands in for the service. */
      emulator_url: z.string().nullable(),
    }),
  ]),
  /**
   * `none`: everybody has Premium and nothing is sold; `unset`: plans hold, but nothing can be bought here; `test`: the
   * whole flow without money; `paddle`: through Paddle, in whose sandbox nobody is charged.
   */
  billing: z.discriminatedUnion('mode', [
    z.object({ mode: z.literal('none') }),
    z.object({ mode: z.literal('unset') }),
    z.object({ mode: z.literal('test') }),
    z.object({
      mode: z.literal('paddle'),
      client_token: z.string(),
      environment: z.enum(['live', 'sandbox']),
    }),
  ]),
  /** Measurement id of the analytics service; null: nothing is measured. */
  analytics_id: z.string().nullable(),
  signups: z.enum(['open', 'invite', 'closed']),
  /** The landing page's box that looks at a host for somebody without an account. */
  try_it: z.boolean(),
  insecure_http: z.boolean(),
  limits: z.object({
    free_domains: z.number().int(),
    trial_days: z.number().int(),
    /** Domains of an account whose address is not verified. */
    domains_before_proof: z.number().int(),
  }),
  /** Hosts that the demo serves, offered on the empty dashboard; empty elsewhere. */
  demo_hosts: z.array(z.string()),
});
export type PublicConfig = z.infer<typeof publicConfigSchema>;

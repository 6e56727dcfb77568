import { z } from 'zod';

/** Answer of `GET /config`: settings of this deployment that the web app reads at run time. Contains no secrets. */
export const publicConfigSchema = z.object({
  product_name: z.string(),
  support_email: z.string(),
  identity: z.discriminatedUnion('provider', [
    z.object({
      provider: z.literal('built-in'),
      /** OpenID providers that people can use besides email and password; Google has the id `google`. */
      oidc: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
    z.object({
      provider: z.literal('firebase'),
      api_key: z.string(),
      auth_domain: z.string(),
      project_id: z.string(),
      /** URL of the Firebase emulator, if one replaces the real service. */
      emulator_url: z.string().nullable(),
    }),
  ]),
  /**
   * Billing mode. `none`: everybody has Premium and nothing is sold; `unset`: plan limits apply, but nothing can be bought;
   * `test`: the whole purchase flow without money; `paddle`: sold through Paddle, whose sandbox charges nobody.
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
  /** Measurement id of the analytics service; null turns analytics off. */
  analytics_id: z.string().nullable(),
  signups: z.enum(['open', 'invite', 'closed']),
  /** Whether the landing page offers a one-off check without an account. */
  try_it: z.boolean(),
  insecure_http: z.boolean(),
  limits: z.object({
    free_domains: z.number().int(),
    trial_days: z.number().int(),
    /** Maximum number of domains of an account until its email address is verified. */
    domains_before_proof: z.number().int(),
  }),
  /** Hosts of the demo, suggested on an empty dashboard; empty outside the demo. */
  demo_hosts: z.array(z.string()),
});
export type PublicConfig = z.infer<typeof publicConfigSchema>;

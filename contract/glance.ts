import { z } from 'zod';
import { domainSchema } from './domain.ts';
import { reportFindingSchema } from './domain-report.ts';

export const glanceRequestSchema = z.object({ host: z.string().max(2048) });

/** What one look at an endpoint found, for somebody without an account. Fields as those of a domain. */
export const glanceSchema = domainSchema
  .pick({
    hostname: true,
    port: true,
    display_name: true,
    issuer: true,
    subject: true,
    valid_from: true,
    expiry_date: true,
    authority_name: true,
    fingerprint: true,
    renewal_from: true,
    revocation: true,
    trusted: true,
    unreachable: true,
  })
  .extend({
    state: z.enum(['unread', 'expired', 'critical', 'soon', 'ok', 'revoked']),
    findings: z.array(
      reportFindingSchema.pick({
        code: true,
        severity: true,
        message: true,
        addresses: true,
        fix: true,
        command: true,
      }),
    ),
    /** The first hundred of `sans_total`. */
    sans: z.array(z.string()),
    sans_total: z.number().int(),
    /** As sent, the leaf first; names of subjects and issuers. */
    chain: z.array(z.object({ subject: z.string(), issuer: z.string(), expiry_date: z.string() })),
    /** Every address behind the name that was looked at. */
    addresses: z.array(
      z.object({ address: z.string(), tls_version: z.string().nullable(), failure: z.string().nullable() }),
    ),
    checked_at: z.string(),
  })
  .meta({ id: 'Glance' });
export type GlanceWire = z.infer<typeof glanceSchema>;

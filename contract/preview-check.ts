import { z } from 'zod';
import { domainSchema } from './domain.ts';
import { reportFindingSchema, reportSchema } from './domain-report.ts';

export const previewCheckRequestSchema = z.object({ host: z.string().max(2048) });

/** Result of a one-off check without an account. Fields have the same meaning as in a domain. */
export const previewCheckSchema = domainSchema
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
    renewal: true,
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
        clients: true,
        fix: true,
        command: true,
      }),
    ),
    /** The first 100 subject alternative names; `sans_total` is the number of all. */
    sans: z.array(z.string()),
    sans_total: z.number().int(),
    /** Certificates in the order in which the server sent them, leaf first. */
    chain: z.array(z.object({ subject: z.string(), issuer: z.string(), expiry_date: z.string() })),
    /** Sources of revocation data about the leaf that the check tried. */
    revocation_sources: z.array(
      reportSchema.shape.revocation_sources.element.pick({ source: true, state: true }),
    ),
    /** All addresses of the host that were checked. */
    addresses: z.array(
      z.object({ address: z.string(), tls_version: z.string().nullable(), failure: z.string().nullable() }),
    ),
    checked_at: z.string(),
  })
  .meta({ id: 'Glance' });
export type PreviewCheckWire = z.infer<typeof previewCheckSchema>;

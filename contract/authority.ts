import { z } from 'zod';

/** Of one account. */
export const MOST_AUTHORITIES = 20;
export const AUTHORITY_PEM_MAX_LENGTH = 100_000;

/** A certificate authority that an account trusts for its own domains, beside those that everybody does. */
export const authoritySchema = z
  .object({
    id: z.string(),
    fingerprint: z.string(),
    subject: z.string(),
    subject_full_dn: z.string(),
    valid_from: z.string(),
    expiry_date: z.string(),
    added_at: z.string(),
  })
  .meta({ id: 'Authority' });
export type AuthorityWire = z.infer<typeof authoritySchema>;

/** One or more certificates in PEM; text around them is passed over. */
export const addAuthoritiesSchema = z.object({ pem: z.string().max(AUTHORITY_PEM_MAX_LENGTH) });

import { z } from 'zod';

/** Maximum number of authorities that an account may add. */
export const MAX_AUTHORITIES = 20;
export const AUTHORITY_PEM_MAX_LENGTH = 100_000;

/** A private certificate authority that an account trusts for its own domains, in addition to the public ones. */
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

/** One or more certificates or PKCS#7 blocks in PEM. Other text is ignored; a private key is refused. */
export const addAuthoritiesSchema = z.object({ pem: z.string().max(AUTHORITY_PEM_MAX_LENGTH) });

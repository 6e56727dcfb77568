import { z } from 'zod';
import { findingSchema } from './domain.ts';

const isoInstant = z.string();

/** A finding with everything that helps to mend it. */
export const reportFindingSchema = findingSchema.extend({
  fingerprint: z.string().nullable(),
  /** One concrete thing to do; null where there is nothing to do. */
  fix: z.string().nullable(),
  /** A line for a shell that shows the same. */
  command: z.string().nullable(),
  evidence: z.array(z.object({ label: z.string(), value: z.string() })),
  /** `chain`: the fix is to serve `chain_pem`. */
  attachment: z.enum(['chain']).nullable(),
});
export type ReportFindingWire = z.infer<typeof reportFindingSchema>;

const addressSchema = z.object({
  address: z.string(),
  family: z.union([z.literal(4), z.literal(6)]),
  fingerprint: z.string().nullable(),
  expiry_date: isoInstant.nullable(),
  tls_version: z.string().nullable(),
  /** The key exchange group by its usual name, as X25519. */
  group: z.string().nullable(),
  /** Connect and handshake. */
  response_ms: z.number().int(),
  /** As the end of a sentence about it ("did not answer in time"); null where it answered. */
  failure: z.string().nullable(),
  /** The failure is our own side's (no IPv6 here): it says nothing about the address. */
  is_ours: z.boolean(),
});
export type AddressWire = z.infer<typeof addressSchema>;

const postureSchema = z.object({
  checked_at: isoInstant,
  tls_versions: z.array(z.object({ version: z.string(), offered: z.boolean().nullable() })),
  post_quantum: z.object({
    state: z.enum(['negotiated', 'not_offered', 'intolerant', 'unknown']),
    group: z.string().nullable(),
  }),
  caa: z.discriminatedUnion('outcome', [
    z.object({
      outcome: z.literal('records'),
      domain: z.string(),
      records: z.array(z.object({ critical: z.boolean(), tag: z.string(), value: z.string() })),
    }),
    z.object({ outcome: z.literal('none') }),
    z.object({ outcome: z.literal('not_applicable') }),
    z.object({ outcome: z.literal('unavailable') }),
  ]),
  registration: z.discriminatedUnion('outcome', [
    z.object({
      outcome: z.literal('expires'),
      domain: z.string(),
      expiry_date: isoInstant,
      registrar: z.string().nullable(),
    }),
    z.object({ outcome: z.enum(['no_date', 'not_found', 'unavailable']), domain: z.string() }),
    z.object({ outcome: z.literal('not_applicable') }),
  ]),
  /** Certificates that only a handshake for one kind of signature shows. */
  alternates: z.array(
    z.object({
      key_type: z.enum(['rsa', 'ecdsa']),
      fingerprint: z.string(),
      name: z.string(),
      expiry_date: isoInstant,
    }),
  ),
});
export type PostureWire = z.infer<typeof postureSchema>;

/** Everything that the last check concluded about an endpoint. */
export const reportSchema = z
  .object({
    checked_at: isoInstant.nullable(),
    findings: z.array(reportFindingSchema),
    addresses: z.array(addressSchema),
    /** From the leaf to the trust anchor; empty where no path holds. */
    path: z.array(
      z.object({
        fingerprint: z.string(),
        name: z.string(),
        role: z.enum(['leaf', 'intermediate', 'anchor']),
        expiry_date: isoInstant,
        source: z.enum(['sent', 'cache', 'fetched', 'trust_store']),
      }),
    ),
    /** What the server should send, the leaf first and without the root; null where it is not known. */
    chain_pem: z.string().nullable(),
    /** Every source of revocation that was asked about the leaf. */
    revocation_sources: z.array(
      z.object({
        source: z.enum(['crl', 'ocsp', 'staple']),
        url: z.string().nullable(),
        checked_at: isoInstant,
        state: z.enum(['good', 'revoked', 'none']),
        /** Why it says nothing that counts, as a sentence; null where it does. */
        why: z.string().nullable(),
        this_update: isoInstant.nullable(),
        next_update: isoInstant.nullable(),
      }),
    ),
    posture: postureSchema.nullable(),
    /** The whole report, to be copied. */
    markdown: z.string(),
  })
  .meta({ id: 'Report' });
export type ReportWire = z.infer<typeof reportSchema>;

/** Fingerprints of two entries of the history, the older one first. */
export const historyDiffQuerySchema = z.object({ from: z.string().max(64), to: z.string().max(64) });

/** What changed between two certificates of a domain's history; null where a thing stayed the same. */
export const historyDiffSchema = z
  .object({
    names_added: z.array(z.string()),
    names_lost: z.array(z.string()),
    issuer: z.object({ from: z.string(), to: z.string() }).nullable(),
    subject: z.object({ from: z.string(), to: z.string() }).nullable(),
    /** Kinds of key, as 'RSA 2048 bit'. */
    key: z.object({ from: z.string(), to: z.string() }).nullable(),
    /** The very same key pair was kept. */
    same_key: z.boolean(),
    lifetime_days: z.object({ from: z.number(), to: z.number() }).nullable(),
    signature_algorithm: z.object({ from: z.string(), to: z.string() }).nullable(),
  })
  .meta({ id: 'HistoryDiff' });
export type HistoryDiffWire = z.infer<typeof historyDiffSchema>;

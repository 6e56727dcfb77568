import { z } from 'zod';
import { findingSchema, nextRenewalSchema } from './domain.ts';
import { CLIENTS, KEY_TYPES } from './check-words.ts';

const isoInstant = z.string();

/** A finding of the last check, with a fix, a shell command and evidence. */
export const reportFindingSchema = findingSchema.extend({
  /** The clients that refuse to connect because of this finding. */
  clients: z.array(z.enum(CLIENTS)),
  fingerprint: z.string().nullable(),
  /** One concrete instruction that fixes the problem; null if there is nothing to do. */
  fix: z.string().nullable(),
  /** Shell command that shows the problem; null if there is none. */
  command: z.string().nullable(),
  evidence: z.array(z.object({ label: z.string(), value: z.string() })),
  /** Attachment that the fix needs. `chain`: the fix is to serve the report's `chain_pem`. */
  attachment: z.enum(['chain']).nullable(),
});
export type ReportFindingWire = z.infer<typeof reportFindingSchema>;

const addressSchema = z.object({
  address: z.string(),
  family: z.union([z.literal(4), z.literal(6)]),
  /** The server that an SRV record of the domain names, with its port; null if the host itself was checked. */
  server: z.string().nullable(),
  fingerprint: z.string().nullable(),
  expiry_date: isoInstant.nullable(),
  tls_version: z.string().nullable(),
  /** Usual name of the key exchange group, e.g. X25519. */
  group: z.string().nullable(),
  /** Protocol agreed by ALPN, e.g. h2; null if there was no agreement. */
  alpn: z.string().nullable(),
  /** Time to connect and complete the handshake, in ms. */
  response_ms: z.number().int(),
  /** Predicate of a sentence about the address ("did not answer in time"); null if the address answered. */
  failure: z.string().nullable(),
  /**
   * The answer of a server that refused us before TLS: its code, and at most 200 printable ASCII characters of text, with other bytes as
   * \xNN. Absent for other results, and for addresses in ranges that the operator opened.
   */
  reply: z.object({ code: z.string().nullable(), text: z.string().nullable() }).optional(),
  /** True if the failure is on our side (no IPv6 or no IPv4 here) and says nothing about the address. */
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
    /** The domain has such records, but not all of them could be read. */
    z.object({ outcome: z.literal('unreadable'), domain: z.string() }),
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
  /** Certificates that the server presents only to some clients, depending on the signatures and ciphers that they offer. */
  alternates: z.array(
    z.object({
      key_type: z.enum(KEY_TYPES),
      /** The clients that get this certificate; empty if they are not known, or if only clients that we do not test get it. */
      clients: z.array(z.enum(CLIENTS)),
      fingerprint: z.string(),
      name: z.string(),
      expiry_date: isoInstant,
    }),
  ),
  /** What could not be tested, for example because the server answers too slowly: "certificates for RSA keys", "TLS 1.0". */
  not_tested: z.array(z.string()),
  /** False if a later check will test what `not_tested` lists. The tests of a mail server are spread over several checks. */
  is_complete: z.boolean(),
  /** Results of earlier checks that the last check did not repeat: "TLS versions". */
  earlier: z.array(z.object({ results: z.string(), checked_at: isoInstant })),
});
export type PostureWire = z.infer<typeof postureSchema>;

const transparencySchema = z.object({
  /** The timestamps, those in the certificate before those in a stapled OCSP response. Those in the TLS handshake are not read. */
  timestamps: z.array(
    z.object({
      /** SHA-256 of the log's public key in base64. */
      log_id: z.string(),
      /** Name of the log, and who operated it at that time; null if our lists do not have it. */
      log: z.string().nullable(),
      operator: z.string().nullable(),
      at: isoInstant,
      delivery: z.enum(['certificate', 'staple']),
      /** Whether each client that demands timestamps counts this one; null if we do not know. `why`: why it does not count, or why we do not know. */
      clients: z.array(
        z.object({
          client: z.enum(CLIENTS),
          name: z.string(),
          counts: z.boolean().nullable(),
          why: z.string().nullable(),
        }),
      ),
    }),
  ),
  /**
   * Number of further timestamps that could not be read, or that come after the first 20 in the certificate or in the staple. A malformed
   * list counts as one.
   */
  unreadable: z.number().int(),
  /** Whether the timestamps are enough for each client of which we have a current list of logs, with a sentence that says so. */
  policies: z.array(
    z.object({
      client: z.enum(CLIENTS),
      outcome: z.enum(['met', 'not_met', 'not_known']),
      message: z.string(),
    }),
  ),
  /** Sentences that say how old the lists of logs are and why one is missing, or why there are no policies; null if not known. */
  note: z.string().nullable(),
});
export type TransparencyWire = z.infer<typeof transparencySchema>;

/** The forecast of the next renewal with its checks, worst first. */
const forecastSchema = nextRenewalSchema
  .extend({
    checked_at: isoInstant,
    /** `ari`: the CA's window (RFC 9773); `habit`: earlier renewals; `lifetime`: a share of the lifetime. */
    expected_by: z.enum(['ari', 'habit', 'lifetime']),
    /** The validation method (RFC 8555 §8) that the site seems to use: "http-01"; null if we do not know. */
    method: z.string().nullable(),
    /** One or two sentences that say what will happen, on which day, and why. */
    message: z.string(),
    /** How many of the account's scored forecasts were right; null before the first one. */
    record: z.object({ right: z.number().int(), of: z.number().int() }).nullable(),
    checks: z.array(
      z.object({
        code: z.string(),
        /** `depends`: the renewal fails only with the validation methods in `methods`. `warns`: the check does not make the renewal fail. */
        state: z.enum(['passes', 'fails', 'depends', 'warns', 'not_known']),
        methods: z.array(z.string()),
        /** A few words: "CAA". */
        title: z.string(),
        message: z.string(),
        names: z.array(z.string()),
        evidence: z.array(z.object({ label: z.string(), value: z.string() })),
        /** What to do; null if there is nothing to do. */
        fix: z.string().nullable(),
        /** DNS record to write, in the form of a zone file; null if none would help. */
        zone_record: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Forecast' });
export type ForecastWire = z.infer<typeof forecastSchema>;

/** All conclusions of the last check of an endpoint. */
export const reportSchema = z
  .object({
    checked_at: isoInstant.nullable(),
    findings: z.array(reportFindingSchema),
    addresses: z.array(addressSchema),
    /** Whether each client accepts the certificates that the last check read; empty if it read none. */
    clients: z.array(
      z.object({
        client: z.enum(CLIENTS),
        name: z.string(),
        connects: z.boolean(),
        /** From when on a client that connects today will refuse the certificate; absent if no such day is known. */
        refuses_from: isoInstant.optional(),
      }),
    ),
    /** Validated path from the leaf to the trust anchor; empty if there is no valid path. */
    path: z.array(
      z.object({
        fingerprint: z.string(),
        name: z.string(),
        role: z.enum(['leaf', 'intermediate', 'anchor']),
        expiry_date: isoInstant,
        source: z.enum(['sent', 'cache', 'fetched', 'trust_store']),
      }),
    ),
    /** PEM of the chain that the server should send, leaf first and without the root; null if it is not known. */
    chain_pem: z.string().nullable(),
    /** Sources of revocation data about the leaf that the check tried: CRLs, OCSP responders and a stapled OCSP response. */
    revocation_sources: z.array(
      z.object({
        source: z.enum(['crl', 'ocsp', 'staple']),
        url: z.string().nullable(),
        checked_at: isoInstant,
        state: z.enum(['good', 'revoked', 'none']),
        /** Sentence that says why the source gave no usable answer; null if it gave one. */
        why: z.string().nullable(),
        this_update: isoInstant.nullable(),
        next_update: isoInstant.nullable(),
      }),
    ),
    posture: postureSchema.nullable(),
    /** Null until a forecast was made, and for certificates of private CAs. */
    forecast: forecastSchema.nullable().default(null),
    /** True if the first forecast is not made yet, but will be within a day. */
    forecast_pending: z.boolean().default(false),
    /**
     * Certificate Transparency timestamps (SCTs, RFC 6962) of the shown certificate; null if no certificate was read, or if it has none
     * and needs none.
     */
    transparency: transparencySchema.nullable(),
    /** The whole report as Markdown, for copying. */
    markdown: z.string(),
  })
  .meta({ id: 'Report' });
export type ReportWire = z.infer<typeof reportSchema>;

/** Fingerprints of two history entries, the older one in `from`. */
export const historyDiffQuerySchema = z.object({ from: z.string().max(64), to: z.string().max(64) });

/** Differences between two certificates of a domain's history; null means unchanged. */
export const historyDiffSchema = z
  .object({
    names_added: z.array(z.string()),
    names_lost: z.array(z.string()),
    issuer: z.object({ from: z.string(), to: z.string() }).nullable(),
    subject: z.object({ from: z.string(), to: z.string() }).nullable(),
    /** Key types, e.g. 'RSA 2048 bit'. */
    key: z.object({ from: z.string(), to: z.string() }).nullable(),
    /** True if both certificates have the same key pair. */
    same_key: z.boolean(),
    lifetime_days: z.object({ from: z.number(), to: z.number() }).nullable(),
    signature_algorithm: z.object({ from: z.string(), to: z.string() }).nullable(),
  })
  .meta({ id: 'HistoryDiff' });
export type HistoryDiffWire = z.infer<typeof historyDiffSchema>;

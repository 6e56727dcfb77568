import { z } from 'zod';

const isoInstant = z.string();

/** Whether the next renewal of a certificate of a public CA will work, for lists and cards. */
export const nextRenewalSchema = z.object({
  outcome: z.enum(['works', 'fails', 'not_known']),
  /** One sentence for a card: "Next renewal will fail: CAA forbids Let's Encrypt"; null unless it will fail. */
  line: z.string().nullable(),
  /** When we expect the renewal. */
  expected_at: isoInstant,
});
export type NextRenewalWire = z.infer<typeof nextRenewalSchema>;

/** The forecast of the next renewal with its checks, worst first. */
export const forecastSchema = nextRenewalSchema
  .extend({
    checked_at: isoInstant,
    /** `ari`: the CA's window (RFC 9773); `habit`: earlier renewals; `lifetime`: a share of the lifetime. */
    expected_by: z.enum(['ari', 'habit', 'lifetime']),
    /** The method that the site seems to use: "http-01"; null if we do not know. */
    method: z.string().nullable(),
    /** One or two sentences that say what will happen and why. */
    message: z.string(),
    /** How many renewals of the account's certificates came out as foretold; null before the first one. */
    record: z.object({ right: z.number().int(), of: z.number().int() }).nullable(),
    checks: z.array(
      z.object({
        code: z.string(),
        /** `depends`: fails only with the methods in `methods`. `warns`: does not make the renewal fail. */
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

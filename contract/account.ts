import { z } from 'zod';
import { NAME_MAX_LENGTH } from './words.ts';
import { lineSchema } from './text.ts';

/** Returns whether `name` is an IANA time zone. Rejects offsets like '+05:30', which have no daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A name from the IANA time zone database, e.g. 'Europe/Oslo'. */
const timeZoneSchema = lineSchema(64).refine(isTimeZone, 'Please choose a time zone');

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    full_name: z.string(),
    photo_url: z.string().nullable(),
    paddle_id: z.string().default(''),
    company_name: z.string().default(''),
    /** IANA time zone for quiet hours, for the digest and, beside UTC, for dates in mails; null means UTC only. */
    time_zone: z.string().nullable().default(null),
  })
  .meta({ id: 'User' });
export type UserWire = z.infer<typeof userSchema>;

/** Body of `POST /auth/firebase`, which exchanges an ID token for the product's session cookies. */
export const tokenExchangeSchema = z.object({
  token: z.string().min(1).max(8192),
  name: lineSchema(NAME_MAX_LENGTH).nullish(),
  company: lineSchema(NAME_MAX_LENGTH).nullish(),
  /** Invitation code. With SIGNUPS=invite it is needed if a provider other than the built-in one signed the person up. */
  invite: z.string().max(2048).optional(),
});

/** Body of `PATCH /user/update`. Removes the company if `company` is null or omitted. */
export const userUpdateSchema = z.object({
  full_name: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  company: lineSchema(NAME_MAX_LENGTH).nullish(),
});

/** Body of `PATCH /user/time_zone`. Null removes the time zone. */
export const timeZoneUpdateSchema = z.object({ time_zone: timeZoneSchema.nullable() });

export const subscriptionClaimsSchema = z.object({
  sub: z.string(),
  /** Status of the subscription; empty without Premium. The web app treats any other value as subscribed. */
  status: z.string(),
  exp: z.number(),
});

/**
 * Answer of `GET /user/sub`: a JWT (HS256) whose claims match `subscriptionClaimsSchema`. See
 * docs/decisions/0005-trust-no-subscription-token-or-auth-record.md.
 */
export const subscriptionTokenSchema = z.object({ data: z.string() });

/** The account's plan and anything that needs its owner's attention. Instants are ISO 8601 UTC. */
export const standingSchema = z
  .object({
    plan: z.enum(['free', 'premium']),
    /** Subscription status, with the values of the subscription token; empty without Premium. */
    status: z.enum(['', 'active', 'trialing', 'past_due']),
    /** Source of Premium; `deployment` if every account of the deployment has it. */
    source: z.enum(['none', 'deployment', 'grant', 'subscription', 'trial']),
    /** True if the account can start the trial of Premium: it is Free where Premium is sold, and its address never had the trial. */
    trial_available: z.boolean().default(false),
    /** Time when Premium currently ends; null without Premium or if no end is known. */
    ends_at: z.string().nullable(),
    /** Number of domains that are paused because they exceed the plan's limit. */
    paused_by_plan: z.number().int(),
    /** Number of domains that are paused because they were added before the email address was verified. */
    paused_unconfirmed: z.number().int(),
    email_verified: z.boolean(),
    /** True if a check is more than 10 minutes overdue, so that the data shown may be out of date. */
    checks_late: z.boolean(),
    /** True if an alert is more than 10 minutes overdue. */
    alerts_late: z.boolean(),
    /**
     * True if the account's address rejected mail permanently. Until the owner asks for a retry, we send the address only
     * mails with secret links.
     */
    mail_failing: z.boolean(),
    /** Number of channels that no longer receive alerts: those in a state of `DEAD_STATES`. */
    dead_channels: z.number().int().default(0),
    /** True if the recipient at the account's address unsubscribed from all alerts sent by mail. */
    unsubscribed: z.boolean(),
    /** URL of the page with captured mail; null if this installation sends its mail, and for requests from other machines. */
    mail_page: z.string().nullable(),
  })
  .meta({ id: 'Standing' });
export type StandingWire = z.infer<typeof standingSchema>;

export const sessionListSchema = z.array(
  z.object({
    id: z.string(),
    /** Whether this session made the request. */
    current: z.boolean(),
    /** Browser and operating system, e.g. "Firefox on Linux", derived from the User-Agent header. */
    browser: z.string(),
    /** IP address of the last sign-in or refresh. */
    address: z.string(),
    created_at: z.string(),
    last_used_at: z.string(),
  }),
);
export type SessionWire = z.infer<typeof sessionListSchema>[number];

import { z } from 'zod';
import { NAME_MAX_LENGTH } from './words.ts';
import { lineSchema } from './text.ts';

/** An offset, as '+05:30', is none: it knows no summer. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A name of the IANA time zone database, as 'Europe/Oslo'. */
const timeZoneSchema = lineSchema(64).refine(isTimeZone, 'Please choose a time zone');

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    full_name: z.string(),
    photo_url: z.string().nullable(),
    paddle_id: z.string().default(''),
    company_name: z.string().default(''),
    /** What the dates of mails are told in, beside UTC; null: UTC alone. */
    time_zone: z.string().nullable().default(null),
  })
  .meta({ id: 'User' });
export type UserWire = z.infer<typeof userSchema>;

/** `POST /auth/firebase`: trades an ID token for the product's own session cookies. */
export const tokenExchangeSchema = z.object({
  token: z.string().min(1).max(8192),
  name: lineSchema(NAME_MAX_LENGTH).nullish(),
  company: lineSchema(NAME_MAX_LENGTH).nullish(),
  /** Signed up from a button that offers the trial; counts at the account's creation only. */
  trial: z.boolean().optional(),
  /** The code of an invitation, where an account is to be made for who comes from another provider than the built-in one. */
  invite: z.string().max(2048).optional(),
});

/** `PATCH /user/update`. A company may be null: none. */
export const userUpdateSchema = z.object({
  full_name: lineSchema(NAME_MAX_LENGTH).min(1, 'Please enter your name'),
  company: lineSchema(NAME_MAX_LENGTH).nullish(),
});

/** Body of `PATCH /user/time_zone`. Null removes the time zone. */
export const timeZoneUpdateSchema = z.object({ time_zone: timeZoneSchema.nullable() });

export const subscriptionClaimsSchema = z.object({
  sub: z.string(),
  /** Truthy means subscribed. */
  status: z.string(),
  exp: z.number(),
});

/** `GET /user/sub`: a JWT (HS256) with `subscriptionClaimsSchema`, see docs/decisions. */
export const subscriptionTokenSchema = z.object({ data: z.string() });

/** What the account has. Instants are ISO 8601 UTC. */
export const standingSchema = z
  .object({
    plan: z.enum(['free', 'premium']),
    /** As in the subscription token: the empty string without Premium. */
    status: z.enum(['', 'active', 'trialing', 'past_due']),
    /** Where Premium comes from; `deployment` where everybody has it. */
    source: z.enum(['none', 'deployment', 'grant', 'subscription', 'trial']),
    /** When Premium ends as things stand; null without Premium and where no end is known. */
    ends_at: z.string().nullable(),
    /** How many domains the plan has paused. */
    paused_by_plan: z.number().int(),
    /** How many domains are paused because they were added before the account's owner proved the address. */
    paused_unconfirmed: z.number().int(),
    email_verified: z.boolean(),
    /** Checks are due for longer than they should be: what is shown may be out of date. */
    checks_late: z.boolean(),
    /** Alerts wait for longer than they should. */
    alerts_late: z.boolean(),
    /** The account's address refused mail for good: nothing is sent to it until its owner asks for another try. */
    mail_failing: z.boolean(),
    /** Whoever reads the account's address asked for no more alerts by mail at all. */
    unsubscribed: z.boolean(),
    /** Where this very machine's user reads the mail that goes nowhere else; null for everybody else. */
    mail_page: z.string().nullable(),
  })
  .meta({ id: 'Standing' });
export type StandingWire = z.infer<typeof standingSchema>;

export const sessionListSchema = z.array(
  z.object({
    id: z.string(),
    /** The one that asks. */
    current: z.boolean(),
    /** "Firefox on Linux", or what could be made of the browser's name. */
    browser: z.string(),
    /** Network address of the last sign-in or refresh. */
    address: z.string(),
    created_at: z.string(),
    last_used_at: z.string(),
  }),
);
export type SessionWire = z.infer<typeof sessionListSchema>[number];

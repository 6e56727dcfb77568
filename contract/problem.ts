import { z } from 'zod';

/** All expected failures of the API: stable code, HTTP status and title (RFC 9457). */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_host: { status: 422, title: 'The host address is not valid' },
  invalid_certificate: { status: 422, title: 'The certificate cannot be used' },
  channel_refused: { status: 422, title: 'This channel cannot be used' },
  host_refused: { status: 422, title: 'This host cannot be checked' },
  not_authenticated: { status: 401, title: 'Log in to continue' },
  invalid_credentials: { status: 401, title: 'Wrong email or password' },
  invalid_token: { status: 401, title: 'The token is not valid' },
  invalid_code: { status: 401, title: 'The code is wrong' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  limit_reached: { status: 402, title: 'You have reached the limit of the Free plan' },
  premium_required: { status: 402, title: 'This requires Premium' },
  origin_refused: { status: 403, title: 'The request came from another site' },
  signups_closed: { status: 403, title: 'Sign-up is closed' },
  account_disabled: { status: 403, title: 'This account is disabled' },
  email_not_verified: { status: 403, title: 'Confirm your email address first' },
  billing_elsewhere: { status: 403, title: 'Your invoices belong to another email address' },
  insufficient_scope: { status: 403, title: 'This token is not allowed to do this' },
  https_required: { status: 403, title: 'This URL requires HTTPS' },
  not_found: { status: 404, title: 'Not found' },
  too_many_authorities: { status: 409, title: 'You have reached the limit of private authorities' },
  too_many_channels: { status: 409, title: 'You have reached the limit of channels' },
  too_many_windows: { status: 409, title: 'You have reached the limit of maintenance windows' },
  too_many_expectations: { status: 409, title: 'A domain waits for too many certificates' },
  too_many_tokens: { status: 409, title: 'You have reached the limit of API tokens' },
  idempotency_key_in_use: { status: 409, title: 'A call with this idempotency key is still running' },
  channel_exists: { status: 409, title: 'You already have this channel' },
  channel_closed: { status: 409, title: 'This channel cannot receive messages' },
  address_taken: { status: 409, title: 'This page address is already taken' },
  domain_exists: { status: 409, title: 'You already track this host' },
  email_taken: { status: 409, title: 'This email address already has an account' },
  domain_paused: { status: 409, title: 'This domain is paused' },
  trial_used: { status: 409, title: 'You have already used the trial' },
  already_subscribed: { status: 409, title: 'You already have Premium' },
  price_gone: { status: 409, title: 'This offer has ended' },
  path_too_long: { status: 414, title: 'The URL is too long' },
  too_large: { status: 413, title: 'The request is too large' },
  idempotency_key_reused: { status: 422, title: 'This idempotency key was used for a different call' },
  password_breached: { status: 422, title: 'This password appears in data breaches' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  cancel_failed: { status: 503, title: 'The subscription could not be cancelled' },
  identity_unavailable: { status: 503, title: 'The sign-in service is not responding' },
  payments_unavailable: { status: 503, title: 'The payment service is not responding' },
  late: { status: 503, title: 'Checks or alerts are late' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;
const codes = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

export const problemCodeSchema = z.enum(codes);

/**
 * Body of a failed call, with media type `application/problem+json` (RFC 9457). `detail` is a sentence for people, `code` is for
 * programs.
 */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: problemCodeSchema,
    detail: z.string(),
    request_id: z.string(),
    /** Seconds until a retry makes sense; set with `too_many_requests`. */
    retry_after: z.number().optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

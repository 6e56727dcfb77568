import { z } from 'zod';

/** All expected failures of the API: stable code, HTTP status and title (RFC 9457). */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_host: { status: 422, title: 'The host address is not valid' },
  invalid_certificate: { status: 422, title: 'That is not a certificate authority' },
  channel_refused: { status: 422, title: 'This channel cannot be used' },
  host_refused: { status: 422, title: 'This host cannot be checked' },
  not_authenticated: { status: 401, title: 'Sign in to go on' },
  invalid_credentials: { status: 401, title: 'Email or password is not right' },
  invalid_token: { status: 401, title: 'The token is not valid' },
  invalid_code: { status: 401, title: 'The code is not right' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  limit_reached: { status: 402, title: 'The limit of the Free plan is reached' },
  premium_required: { status: 402, title: 'Premium is needed for this' },
  origin_refused: { status: 403, title: 'The request came from another site' },
  signups_closed: { status: 403, title: 'Sign-up is not open here' },
  account_disabled: { status: 403, title: 'This account is disabled' },
  email_not_verified: { status: 403, title: 'Verify your address first' },
  billing_elsewhere: { status: 403, title: 'Your invoices are with another address' },
  insufficient_scope: { status: 403, title: 'The token may not do this' },
  https_required: { status: 403, title: 'This address needs https' },
  not_found: { status: 404, title: 'Not found' },
  too_many_authorities: { status: 409, title: 'There is no room for another authority' },
  too_many_channels: { status: 409, title: 'There is no room for another channel' },
  too_many_windows: { status: 409, title: 'There is no room for another window' },
  too_many_tokens: { status: 409, title: 'There is no room for another token' },
  idempotency_key_in_use: { status: 409, title: 'A call with this key is still under way' },
  channel_exists: { status: 409, title: 'You have this channel already' },
  channel_closed: { status: 409, title: 'Nothing can be sent to this channel' },
  address_taken: { status: 409, title: 'This address is not free' },
  domain_exists: { status: 409, title: 'You already track this host' },
  email_taken: { status: 409, title: 'This address already has an account' },
  domain_paused: { status: 409, title: 'This domain is paused' },
  already_subscribed: { status: 409, title: 'You have Premium already' },
  price_gone: { status: 409, title: 'This offer has ended' },
  path_too_long: { status: 414, title: 'The address is too long' },
  too_large: { status: 413, title: 'The request is too large' },
  idempotency_key_reused: { status: 422, title: 'This key was used for another call' },
  password_breached: { status: 422, title: 'This password is known from breaches' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  cancel_failed: { status: 503, title: 'The subscription could not be cancelled' },
  identity_unavailable: { status: 503, title: 'The sign-in service does not answer' },
  payments_unavailable: { status: 503, title: 'The payment service does not answer' },
  late: { status: 503, title: 'Checks or alerts are late' },
  unavailable: { status: 503, title: 'Not ready' },
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

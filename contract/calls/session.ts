import { z } from 'zod';
import { standingSchema, subscriptionTokenSchema, tokenExchangeSchema, userSchema } from '../account.ts';
import { type Call, emptyEnvelope, envelope } from './call.ts';

// Calls for sessions, and for the user and the plan that every signed-in page shows.

export const openSession = {
  method: 'post',
  path: '/auth/firebase',
  access: 'public',
  summary:
    'Exchange an identity provider’s ID token for session cookies; the header `Time-Zone` sets the time zone of a new account',
  body: tokenExchangeSchema,
  response: envelope(userSchema).extend({
    /** Whether this call created the account. */
    created: z.boolean(),
  }),
  status: 200,
  problems: ['invalid_token', 'email_taken', 'account_disabled', 'signups_closed', 'identity_unavailable'],
} as const satisfies Call;

export const refreshSession = {
  method: 'post',
  path: '/auth/refresh',
  access: 'public',
  summary: 'Exchange the refresh cookie for new session cookies',
  response: envelope(userSchema),
  status: 200,
  problems: ['not_authenticated'],
} as const satisfies Call;

export const logOut = {
  method: 'post',
  path: '/auth/logout',
  access: 'public',
  summary: 'End the session and delete its cookies; succeeds without a session too',
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

export const currentUser = {
  method: 'get',
  path: '/user/me',
  access: 'session',
  answersVisitors: true,
  scope: 'read',
  summary:
    'Get the signed-in user; with `Prefer: handling=lenient`, a request without credentials gets null instead of 401',
  response: envelope(userSchema.nullable()),
  status: 200,
  problems: [],
} as const satisfies Call;

export const subscription = {
  method: 'get',
  path: '/user/sub',
  access: 'session',
  summary: 'Get the subscription status as a signed token, for display only; no call accepts the token',
  response: subscriptionTokenSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const standing = {
  method: 'get',
  path: '/user/standing',
  access: 'session',
  scope: 'read',
  summary: 'Get the plan of the account, when it ends, and what needs attention',
  response: envelope(standingSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

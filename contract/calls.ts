import { z } from 'zod';
import { subscriptionTokenSchema, tokenExchangeSchema, userSchema, userUpdateSchema } from './account.ts';
import {
  addDomainSchema,
  domainListSchema,
  domainSchema,
  frequencyQuerySchema,
  historyEntrySchema,
  listQuerySchema,
  summarySchema,
} from './domain.ts';
import { healthSchema } from './health.ts';
import { identitySessionSchema, identityTokenSchema, signInSchema, signUpSchema } from './identity.ts';
import type { ProblemCode } from './problem.ts';
import { publicConfigSchema } from './public-config.ts';

/** One call of the HTTP API; the server validates by it, and the OpenAPI document is made of it. */
export interface Call {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api`; parameters in braces. */
  path: string;
  /** `session`: needs the session cookie, answers 401 `not_authenticated` without. */
  access: 'public' | 'session';
  summary: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Of success; null where the answer is not JSON. */
  response: z.ZodType | null;
  /** Of success. */
  status: 200 | 202;
  /** Failures of this call's own; `COMMON_PROBLEMS` can answer every call. */
  problems: readonly ProblemCode[];
}

export const COMMON_PROBLEMS = [
  'invalid_request',
  'origin_refused',
  'https_required',
  'too_large',
  'too_many_requests',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

const wrapped = <Schema extends z.ZodType>(data: Schema) => z.object({ data });
const nothing = wrapped(z.null());
const idParams = z.object({ id: z.uuid() });

export const CALLS = {
  signUp: {
    method: 'post',
    path: '/identity/sign-up/email',
    access: 'public',
    summary: "Create an identity with the built-in provider; sets the provider's own short-lived cookie",
    body: signUpSchema,
    response: identitySessionSchema,
    status: 200,
    problems: ['signups_closed', 'email_taken'],
  },
  signIn: {
    method: 'post',
    path: '/identity/sign-in/email',
    access: 'public',
    summary: "Sign in with the built-in provider; sets the provider's own short-lived cookie",
    body: signInSchema,
    response: identitySessionSchema,
    status: 200,
    problems: ['invalid_credentials'],
  },
  signOut: {
    method: 'post',
    path: '/identity/sign-out',
    access: 'public',
    summary: "End the built-in provider's own session",
    response: z.object({ success: z.boolean() }),
    status: 200,
    problems: [],
  },
  identityToken: {
    method: 'get',
    path: '/identity/token',
    access: 'public',
    summary: "An ID token for the holder of the built-in provider's cookie, good for five minutes",
    response: identityTokenSchema,
    status: 200,
    problems: ['not_authenticated'],
  },
  identityKeys: {
    method: 'get',
    path: '/identity/jwks',
    access: 'public',
    summary: 'The public keys of the built-in provider (RFC 7517)',
    response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    status: 200,
    problems: [],
  },
  openSession: {
    method: 'post',
    path: '/auth/firebase',
    access: 'public',
    summary: "Trade an identity provider's ID token for the product's session cookies",
    body: tokenExchangeSchema,
    response: wrapped(userSchema),
    status: 200,
    problems: ['invalid_token', 'email_taken'],
  },
  refreshSession: {
    method: 'post',
    path: '/auth/refresh',
    access: 'public',
    summary: 'Trade the refresh cookie for new session cookies',
    response: wrapped(userSchema),
    status: 200,
    problems: ['not_authenticated'],
  },
  logOut: {
    method: 'post',
    path: '/auth/logout',
    access: 'public',
    summary: 'End the session on the server and drop its cookies; succeeds without a session too',
    response: nothing,
    status: 200,
    problems: [],
  },
  currentUser: {
    method: 'get',
    path: '/user/me',
    access: 'session',
    summary: 'The signed-in user',
    response: wrapped(userSchema),
    status: 200,
    problems: [],
  },
  updateUser: {
    method: 'patch',
    path: '/user/update',
    access: 'session',
    summary: 'Change name and company',
    body: userUpdateSchema,
    response: wrapped(userSchema),
    status: 200,
    problems: [],
  },
  deleteUser: {
    method: 'delete',
    path: '/user/me',
    access: 'session',
    summary: 'Delete the account, its identity and everything it holds',
    response: nothing,
    status: 200,
    problems: [],
  },
  subscription: {
    method: 'get',
    path: '/user/sub',
    access: 'session',
    summary: 'What the page shows of the subscription, as a signed token; no call accepts it',
    response: subscriptionTokenSchema,
    status: 200,
    problems: [],
  },
  premium: {
    method: 'get',
    path: '/user/premium',
    access: 'session',
    summary: 'Whether the account has Premium',
    response: wrapped(z.boolean()),
    status: 200,
    problems: [],
  },
  listDomains: {
    method: 'get',
    path: '/domain/list',
    access: 'session',
    summary: 'A page of the domains',
    query: listQuerySchema,
    response: domainListSchema,
    status: 200,
    problems: [],
  },
  domainSummary: {
    method: 'get',
    path: '/domain/summary',
    access: 'session',
    summary: 'Counts by state, the expiries, and the domains that need a person',
    response: wrapped(summarySchema),
    status: 200,
    problems: [],
  },
  addDomain: {
    method: 'post',
    path: '/domain/add',
    access: 'session',
    summary: 'Watch a host; waits up to 5 s for its first check',
    body: addDomainSchema,
    response: wrapped(domainSchema),
    status: 200,
    problems: ['invalid_host', 'host_refused', 'limit_reached', 'domain_exists'],
  },
  removeDomain: {
    method: 'delete',
    path: '/domain/{id}',
    access: 'session',
    summary: 'Stop watching a host and forget its history; answers what was removed',
    params: idParams,
    response: wrapped(domainSchema),
    status: 200,
    problems: ['not_found'],
  },
  domainHistory: {
    method: 'get',
    path: '/domain/{id}/history',
    access: 'session',
    summary: 'The certificates seen at a host, newest first',
    params: idParams,
    response: wrapped(z.array(historyEntrySchema)),
    status: 200,
    problems: ['not_found'],
  },
  setFrequency: {
    method: 'patch',
    path: '/domain/{id}/frequency',
    access: 'session',
    summary: 'Choose the minutes between two checks',
    params: idParams,
    query: frequencyQuerySchema,
    response: wrapped(domainSchema),
    status: 200,
    problems: ['not_found', 'premium_required'],
  },
  checkDomain: {
    method: 'post',
    path: '/domain/{id}/check',
    access: 'session',
    summary: 'Ask for a check now; its result arrives through the events',
    params: idParams,
    response: wrapped(domainSchema),
    status: 202,
    problems: ['not_found'],
  },
  events: {
    method: 'get',
    path: '/events',
    access: 'session',
    summary: 'Server-sent events `domain`, `domain_removed` and `session_ended`; ends with the session',
    response: null,
    status: 200,
    problems: [],
  },
  publicConfig: {
    method: 'get',
    path: '/config',
    access: 'public',
    summary: 'What the page needs to know of this deployment',
    response: wrapped(publicConfigSchema),
    status: 200,
    problems: [],
  },
  health: {
    method: 'get',
    path: '/health',
    access: 'public',
    summary: 'Whether the server can do its work',
    response: healthSchema,
    status: 200,
    problems: [],
  },
} as const satisfies Record<string, Call>;

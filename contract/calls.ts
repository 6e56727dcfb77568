import type { Call } from './call.ts';
import { ACCOUNT_CALLS } from './account-calls.ts';
import { ALERT_CALLS } from './alert-calls.ts';
import { AUTHORITY_CALLS } from './authority-calls.ts';
import { DEPLOYMENT_CALLS } from './deployment-calls.ts';
import { DOMAIN_CALLS } from './domain-calls.ts';
import { IDENTITY_CALLS } from './identity-calls.ts';
import { PAYMENT_CALLS } from './payment-calls.ts';
import type { ProblemCode } from './problem.ts';
import { STATUS_CALLS } from './status-calls.ts';
import { TOKEN_CALLS } from './token-calls.ts';

export type { Call } from './call.ts';

export const COMMON_PROBLEMS = [
  'invalid_request',
  'origin_refused',
  'https_required',
  'path_too_long',
  'too_large',
  'too_many_requests',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

/** Every call of the HTTP API. */
export const CALLS = {
  ...IDENTITY_CALLS,
  ...ACCOUNT_CALLS,
  ...TOKEN_CALLS,
  ...AUTHORITY_CALLS,
  ...DOMAIN_CALLS,
  ...ALERT_CALLS,
  ...PAYMENT_CALLS,
  ...STATUS_CALLS,
  ...DEPLOYMENT_CALLS,
} as const satisfies Record<string, Call>;

import type { Call } from './call.ts';
import { ACCOUNT_CALLS } from './account.ts';
import { ALERT_CALLS } from './alert.ts';
import { AUTHORITY_CALLS } from './authority.ts';
import { DEPLOYMENT_CALLS } from './deployment.ts';
import { DOMAIN_CALLS } from './domain.ts';
import { IDENTITY_CALLS } from './identity.ts';
import { PAYMENT_CALLS } from './payment.ts';
import type { ProblemCode } from '../problem.ts';
import { STATUS_CALLS } from './status.ts';
import { TOKEN_CALLS } from './token.ts';

export type { Call } from './call.ts';

/** Problems that any call can answer with, in addition to its own `problems`. */
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

/** All calls of the HTTP API by operation id. */
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

import type { Call } from './call.ts';
import * as account from './account.ts';
import * as alert from './alert.ts';
import * as authority from './authority.ts';
import * as certificate from './certificate.ts';
import * as deadline from './deadline.ts';
import * as deployment from './deployment.ts';
import * as domain from './domain.ts';
import * as domainImport from './domain-import.ts';
import * as identity from './identity.ts';
import * as payment from './payment.ts';
import { previewCheck } from './preview-check.ts';
import type { ProblemCode } from '../problem.ts';
import * as session from './session.ts';
import * as status from './status.ts';
import * as token from './token.ts';
import * as verification from './verification.ts';

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
  ...identity,
  ...verification,
  ...session,
  ...account,
  ...token,
  ...authority,
  ...domain,
  ...domainImport,
  ...certificate,
  ...deadline,
  ...alert,
  ...payment,
  ...status,
  ...deployment,
  // Clients depend on this operation id.
  glance: previewCheck,
} as const satisfies Record<string, Call>;

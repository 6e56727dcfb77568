import { z } from 'zod';
import { addAuthoritiesSchema, authoritySchema } from '../authority.ts';
import { type Call, idParams, nothing, wrapped } from './call.ts';

/** Calls for the private certificate authorities that an account trusts for its own domains. */
export const AUTHORITY_CALLS = {
  listAuthorities: {
    method: 'get',
    path: '/user/authorities',
    access: 'session',
    scope: 'read',
    summary: 'The private authorities of the account, newest first',
    response: wrapped(z.array(authoritySchema)),
    status: 200,
    problems: [],
  },
  addAuthorities: {
    method: 'post',
    path: '/user/authorities',
    access: 'session',
    scope: 'write',
    once: true,
    summary:
      'Trust certificate authorities for the domains of this account; those known already change nothing',
    body: addAuthoritiesSchema,
    response: wrapped(z.array(authoritySchema)),
    status: 200,
    problems: ['invalid_certificate', 'too_many_authorities'],
  },
  removeAuthority: {
    method: 'delete',
    path: '/user/authorities/{id}',
    access: 'session',
    scope: 'write',
    summary: 'Trust an authority no longer',
    params: idParams,
    response: nothing,
    status: 200,
    problems: ['not_found'],
  },
} as const satisfies Record<string, Call>;

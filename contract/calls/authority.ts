import { z } from 'zod';
import { addAuthoritiesSchema, authoritySchema } from '../authority.ts';
import { type Call, emptyEnvelope, envelope, idParams } from './call.ts';

// Calls for the private certificate authorities that an account trusts for its own domains.

export const listAuthorities = {
  method: 'get',
  path: '/user/authorities',
  access: 'session',
  scope: 'read',
  summary: 'List the private certificate authorities of the account, newest first',
  response: envelope(z.array(authoritySchema)),
  status: 200,
  problems: [],
} as const satisfies Call;

export const addAuthorities = {
  method: 'post',
  path: '/user/authorities',
  access: 'session',
  scope: 'write',
  idempotent: true,
  cost: ['authoritiesByAccount'],
  summary:
    'Trust private certificate authorities for the domains of the account; ignores those already trusted',
  body: addAuthoritiesSchema,
  response: envelope(z.array(authoritySchema)),
  status: 200,
  problems: ['invalid_certificate', 'too_many_authorities'],
} as const satisfies Call;

export const removeAuthority = {
  method: 'delete',
  path: '/user/authorities/{id}',
  access: 'session',
  scope: 'write',
  summary: 'Stop trusting a private certificate authority',
  params: idParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

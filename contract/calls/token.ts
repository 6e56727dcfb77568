import { z } from 'zod';
import { type Call, emptyEnvelope, envelope, idParams } from './call.ts';
import { createTokenSchema, tokenCreatedSchema, tokenSchema } from '../token.ts';

// Calls for personal tokens. They need a session: a token cannot create, list or revoke tokens.

export const listTokens = {
  method: 'get',
  path: '/user/tokens',
  access: 'session',
  summary: 'List the personal tokens of the account, newest first, without secrets',
  response: envelope(z.array(tokenSchema)),
  status: 200,
  problems: [],
} as const satisfies Call;

export const makeToken = {
  method: 'post',
  path: '/user/tokens',
  access: 'session',
  idempotent: true,
  shownOnce: ['secret'],
  cost: ['tokensByAccount'],
  summary: 'Create a personal token; only this response contains its secret',
  body: createTokenSchema,
  response: envelope(tokenCreatedSchema),
  status: 200,
  problems: ['too_many_tokens'],
} as const satisfies Call;

export const revokeToken = {
  method: 'delete',
  path: '/user/tokens/{id}',
  access: 'session',
  summary: 'Revoke a personal token immediately',
  params: idParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

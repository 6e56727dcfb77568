import { z } from 'zod';
import { type Call, idParams, nothing, wrapped } from './call.ts';
import { makeTokenSchema, tokenMadeSchema, tokenSchema } from '../token.ts';

/** Calls for personal tokens. They need a session: a token cannot create, list or revoke tokens. */
export const TOKEN_CALLS = {
  listTokens: {
    method: 'get',
    path: '/user/tokens',
    access: 'session',
    summary: 'The personal tokens of the account, newest first, without their secrets',
    response: wrapped(z.array(tokenSchema)),
    status: 200,
    problems: [],
  },
  makeToken: {
    method: 'post',
    path: '/user/tokens',
    access: 'session',
    summary: 'Make a personal token; its secret is in this answer and nowhere else',
    body: makeTokenSchema,
    response: wrapped(tokenMadeSchema),
    status: 200,
    problems: ['too_many_tokens'],
  },
  revokeToken: {
    method: 'delete',
    path: '/user/tokens/{id}',
    access: 'session',
    summary: 'End a personal token at once',
    params: idParams,
    response: nothing,
    status: 200,
    problems: ['not_found'],
  },
} as const satisfies Record<string, Call>;

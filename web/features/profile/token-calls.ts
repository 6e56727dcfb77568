import { z } from 'zod';
import { tokenCreatedSchema, tokenSchema } from '../../../contract/token.ts';
import type { CreateToken, TokenWire } from '../../../contract/token.ts';
import { api } from '../../lib/api-client.ts';

const listAnswer = z.object({ data: z.array(tokenSchema) });
const madeAnswer = z.object({ data: tokenCreatedSchema });

/** The personal tokens of the account, newest first. */
export async function fetchTokens(signal: AbortSignal): Promise<TokenWire[]> {
  return (await api('/user/tokens', { schema: listAnswer, signal })).data;
}

/** Makes one; its secret is told this once. Rejects with the code `too_many_tokens` where there is no room. */
export async function makeToken(wish: CreateToken): Promise<z.infer<typeof tokenCreatedSchema>> {
  return (await api('/user/tokens', { method: 'POST', body: wish, schema: madeAnswer })).data;
}

export async function revokeToken(id: string): Promise<void> {
  await api(`/user/tokens/${encodeURIComponent(id)}`, { method: 'DELETE', schema: z.unknown() });
}

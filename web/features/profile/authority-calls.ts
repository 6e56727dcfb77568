import { z } from 'zod';
import { authoritySchema } from '../../../contract/authority.ts';
import type { AuthorityWire } from '../../../contract/authority.ts';
import { api } from '../../lib/api-client.ts';

const answer = z.object({ data: z.array(authoritySchema) });

/** The authorities that the account trusts beside those that everybody does, newest first. */
export async function fetchAuthorities(signal: AbortSignal): Promise<AuthorityWire[]> {
  return (await api('/user/authorities', { schema: answer, signal })).data;
}

/** Trusts those of a PEM text; rejects with the codes `invalid_certificate` and `too_many_authorities`. Returns all. */
export async function addAuthorities(pem: string): Promise<AuthorityWire[]> {
  return (await api('/user/authorities', { method: 'POST', body: { pem }, schema: answer })).data;
}

export async function removeAuthority(id: string): Promise<void> {
  await api(`/user/authorities/${encodeURIComponent(id)}`, { method: 'DELETE', schema: z.unknown() });
}

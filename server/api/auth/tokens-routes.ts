import { CALLS } from '../../../contract/calls/calls.ts';
import { MAX_TOKENS, type TokenScope, type TokenWire } from '../../../contract/token.ts';
import { type ApiToken, createToken, listTokens, revokeToken } from '../../store/accounts/api-tokens.ts';
import type { Api, AppParts } from '../http/api.ts';
import { newToken } from './personal-tokens.ts';
import { refuse } from '../http/problem.ts';
import { iso } from '../domains/domain-wire.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Lists, creates and revokes personal tokens. The calls have no scope, so that tokens cannot manage tokens. */
export function tokenRoutes(api: Api, { store }: AppParts): void {
  api.on(CALLS.listTokens, async ({ session }) => ({
    data: (await listTokens(store, session.account.id)).map(tokenWire),
  }));

  api.on(CALLS.makeToken, async ({ body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const { secret, prefix } = newToken();
    const days = body.expires_in_days;
    const answerOf = (token: ApiToken) => ({ data: { token: tokenWire(token), secret } });
    const made = await createToken(store, {
      accountId,
      secret,
      prefix,
      name: body.name,
      scopes: body.scopes,
      now,
      expiresAt: days === null ? null : now + days * DAY_MS,
      max: MAX_TOKENS,
      alsoWrite: (trx, token) => idempotency.storeAnswer(trx, answerOf(token)),
    });
    if (!made.ok)
      return refuse(made.code, `You have ${MAX_TOKENS} tokens, which is the maximum. Revoke one first.`);
    return answerOf(made.token);
  });

  api.on(CALLS.revokeToken, async ({ params, session }) => {
    const revoked = await revokeToken(store, { accountId: session.account.id, tokenId: params.id });
    return revoked ? { data: null } : refuse('not_found', 'There is no such token.');
  });
}

const tokenWire = (token: ApiToken): TokenWire => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  scopes: token.scopes as TokenScope[],
  created_at: iso(token.createdAt),
  last_used_at: token.lastUsedAt === null ? null : iso(token.lastUsedAt),
  expires_at: token.expiresAt === null ? null : iso(token.expiresAt),
});

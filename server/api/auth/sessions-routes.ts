import { CALLS } from '../../../contract/calls/calls.ts';
import {
  endAllSessions,
  endProviderSessions,
  endSession,
  listSessions,
} from '../../store/accounts/sessions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { browserName } from './browser-name.ts';
import { refuse } from '../http/problem.ts';
import { iso } from '../domains/domain-wire.ts';

/** Lists and ends the sessions of an account. */
export function sessionRoutes(api: Api, { store, sessions }: AppParts): void {
  api.on(CALLS.listSessions, async ({ session, now }) => {
    const open = await listSessions(store, session.account.id, now);
    return {
      data: open.map(({ id, userAgent, address, createdAt, lastUsedAt }) => ({
        id,
        current: id === session.sessionId,
        browser: browserName(userAgent),
        address,
        created_at: iso(createdAt),
        last_used_at: iso(lastUsedAt),
      })),
    };
  });

  api.on(CALLS.endOneSession, async ({ c, params, session }) => {
    const ended = await endSession(store, params.id, session.account.id);
    if (!ended) return refuse('not_found', 'There is no such session.');
    // Also end the provider's sessions: the browser of the ended session may have one, with which it could open another session
    // here.
    await endProviderSessions(store, session.account.id);
    if (params.id === session.sessionId) sessions.dropCookies(c);
    return { data: null };
  });

  api.on(CALLS.endAllSessions, async ({ c, session }) => {
    await endAllSessions(store, session.account.id);
    sessions.dropCookies(c);
    return { data: null };
  });
}

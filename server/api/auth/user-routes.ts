import { CALLS } from '../../../contract/calls.ts';
import { type Account, updateAccount } from '../../store/accounts/accounts.ts';
import { deleteWholeAccount } from './account-deletion.ts';
import type { Api, AppParts } from '../http/api.ts';
import { refuse } from '../http/problem.ts';
import { userWire } from '../http/wire.ts';

export function userRoutes(api: Api, parts: AppParts): void {
  const { store, sessions } = parts;
  api.on(CALLS.currentUser, async ({ session }) => ({ data: userWire(session.account) }));

  api.on(CALLS.updateUser, async ({ body, session }) => {
    const change = { fullName: body.full_name, companyName: body.company ?? '' };
    return changed(await updateAccount(store, session.account.id, change));
  });

  api.on(CALLS.setTimeZone, async ({ body, session }) =>
    changed(await updateAccount(store, session.account.id, { timeZone: body.time_zone })),
  );

  api.on(CALLS.deleteUser, async ({ c, session, now }) => {
    const refusal = await deleteWholeAccount(parts, session.account, now);
    if (refusal) return refusal;
    sessions.dropCookies(c);
    return { data: null };
  });
}

const changed = (account: Account | null) =>
  account === null ? refuse('not_authenticated', 'Please sign in.') : { data: userWire(account) };

import { SignJWT } from 'jose';
import { CALLS } from '../../../contract/calls.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/constants.ts';
import type { Entitlement } from '../../core/index.ts';
import { deleteAccount, updateAccount } from '../../store/accounts.ts';
import { entitlementAt } from '../../store/entitlements.ts';
import type { Api, AppParts } from '../api.ts';
import { refuse } from '../problem.ts';
import { userWire } from '../wire.ts';

const ENTITLED_SECONDS = 86_400;
const NOT_ENTITLED_SECONDS = 300;

export function userRoutes(api: Api, { store, sessions }: AppParts): void {
  api.on(CALLS.currentUser, async ({ session }) => ({ data: userWire(session.account) }));

  api.on(CALLS.updateUser, async ({ body, session }) => {
    const account = await updateAccount(store, session.account.id, {
      fullName: body.full_name,
      companyName: body.company ?? '',
    });
    return account === null ? refuse('not_authenticated', 'Please sign in.') : { data: userWire(account) };
  });

  api.on(CALLS.deleteUser, async ({ c, session }) => {
    // Takes the user of the built-in identity provider along, in the same transaction.
    await deleteAccount(store, session.account.id);
    sessions.dropCookies(c);
    return { data: null };
  });

  api.on(CALLS.subscription, async ({ session, now }) => ({
    data: await subscriptionToken(
      session.account.id,
      entitlementAt(store, session.account.entitlement, now),
      now,
    ),
  }));

  api.on(CALLS.premium, async ({ session, now }) => ({
    data: entitlementAt(store, session.account.entitlement, now).plan === 'premium',
  }));
}

/** Everybody who reads the page's source can make one: it decides what is shown, never what is allowed. */
function subscriptionToken(id: string, { plan, status, endsAt }: Entitlement, now: number): Promise<string> {
  const seconds = plan === 'premium' ? ENTITLED_SECONDS : NOT_ENTITLED_SECONDS;
  const expiresAt = Math.min(now + seconds * 1000, endsAt ?? Number.POSITIVE_INFINITY);
  return new SignJWT({ status })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(id)
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${id}`));
}

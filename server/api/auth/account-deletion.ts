import { IdentityUnavailable } from '../../providers/identity/identity-provider.ts';
import { PaymentsUnavailable } from '../../providers/payments/payment-provider.ts';
import { deleteAccount } from '../../store/accounts/account-deletion.ts';
import { type Account, listIdentities } from '../../store/accounts/accounts.ts';
import { listSubscriptions } from '../../store/billing/subscriptions.ts';
import type { AppParts } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';

/**
 * Cancels subscriptions, then deletes the user at the identity provider, then the account. Returns null if all three
 * succeeded. After a refusal the account still exists, and the caller may safely try again.
 */
export async function deleteWholeAccount(
  parts: AppParts,
  account: Account,
  now: number,
): Promise<Refusal | null> {
  const { store, log } = parts;
  const cancelled: string[] = [];
  try {
    await cancelSubscriptions(parts, account.id, cancelled);
    // deleteUser() does nothing for the built-in provider: its users are deleted in the account's transaction.
    for (const { subject } of await listIdentities(store, account.id))
      await parts.identity.deleteUser(subject);
  } catch (error) {
    const refusal = refusalOf(error, parts.config.supportEmail);
    if (refusal === null) throw error;
    log.error({ err: error }, 'An account could not be deleted');
    return refusal;
  }
  const outcome = await deleteAccount(store, account.id, now, { cancelled });
  // The user has bought a subscription in another window meanwhile, so cancel that one, too.
  return outcome === 'subscribed' ? deleteWholeAccount(parts, account, now) : null;
}

/** Cancels all running subscriptions and adds their ids to `cancelled`. @throws PaymentsUnavailable */
async function cancelSubscriptions(
  { store, payments }: AppParts,
  accountId: string,
  cancelled: string[],
): Promise<void> {
  for (const { id, status } of await listSubscriptions(store, accountId)) {
    if (status === 'canceled') continue;
    if (payments === null)
      throw new PaymentsUnavailable(`This server no longer sells Premium, but ${id} is still active`);
    await payments.cancel(id);
    cancelled.push(id);
  }
}

function refusalOf(error: unknown, supportEmail: string): Refusal | null {
  if (error instanceof PaymentsUnavailable)
    return refuse(
      'cancel_failed',
      `Your subscription could not be cancelled, so nothing was deleted. Try again later, or write to ${supportEmail}.`,
    );
  if (error instanceof IdentityUnavailable)
    return refuse(
      'identity_unavailable',
      'The sign-in service is not responding, so your account was not deleted. Try again in a moment.',
    );
  return null;
}

import { CALLS } from '../../../contract/calls/calls.ts';
import { DEAD_STATES } from '../../../contract/channel.ts';
import { type Entitlement, entitlementAt, type Plan } from '../../core/plan.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Store } from '../../store/db/open-store.ts';
import { alertsAreLate, checksAreLate, mailIsFailing } from '../../store/accounts/account-health.ts';
import { startOwnTrial, trialIsUsed } from '../../store/billing/entitlements.ts';
import { listSubscriptions } from '../../store/billing/subscriptions.ts';
import { channelsOf } from '../../store/alerts/channels.ts';
import { channelWire, ownMailWire } from '../alerts/channel-wire.ts';
import type { Api, AppParts } from '../http/api.ts';
import { mailPageFor } from '../operations/dev-mail-routes.ts';
import { trialAddressHash } from '../auth/derived-keys.ts';
import { refuse } from '../http/problem.ts';
import { isoOrNull } from '../domains/domain-wire.ts';
import { SignJWT } from 'jose';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/words.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { countPaused } from '../../store/monitors/monitor-pauses.ts';

/** Serves the account's plan, and the state of the account on which the web app's notices depend. */
export function planRoutes(api: Api, parts: AppParts): void {
  const { store, secrets, payments } = parts;
  const hashOf = ({ email }: Account) => trialAddressHash(secrets.session, email);
  const mayStartTrial = async (account: Account, plan: Plan) =>
    payments !== null && plan === 'free' && !(await trialIsUsed(store, account.id, hashOf(account)));

  api.on(CALLS.subscription, async ({ session: { account }, now }) => {
    const entitlement = entitlementAt(store, account.entitlement, now);
    const paidUntil = await endOfPaidPeriod(store, { accountId: account.id, entitlement, now });
    return { data: await subscriptionToken(account.id, entitlement, { paidUntil, now }) };
  });

  api.on(CALLS.premium, async ({ session: { account }, now }) => ({
    data: entitlementAt(store, account.entitlement, now).plan === 'premium',
  }));

  api.on(CALLS.standing, async ({ c, session: { account }, now }) => {
    const { plan, status, source, endsAt } = entitlementAt(store, account.entitlement, now);
    const paused = await countPaused(store, account.id);
    const { own, added } = await channelsOf(store, account.id);
    const channels = [ownMailWire(own), ...added.map((channel) => channelWire(channel, plan))];
    const data = {
      plan,
      status,
      source,
      ends_at: isoOrNull(endsAt),
      trial_available: await mayStartTrial(account, plan),
      paused_by_plan: paused.plan,
      paused_unconfirmed: paused.unconfirmed,
      email_verified: account.emailVerified,
      checks_late: await checksAreLate(store, { accountId: account.id, now }),
      alerts_late: await alertsAreLate(store, { accountId: account.id, now }),
      mail_failing: await mailIsFailing(store, account, now),
      dead_channels: channels.filter(({ state }) => DEAD_STATES.includes(state)).length,
      unsubscribed: own.isUnsubscribed,
      mail_page: mailPageFor(c, parts),
    };
    return { data };
  });

  api.on(CALLS.startTrial, async ({ session: { account }, now }) => {
    if (payments === null) return refuse('not_found', 'Premium is not sold on this server.');
    const outcome = await startOwnTrial(store, {
      accountId: account.id,
      addressHash: hashOf(account),
      now,
    });
    if (outcome === 'premium') return refuse('already_subscribed', 'You already have Premium.');
    if (outcome === 'used')
      return refuse('trial_used', 'This address has already had its trial. Each address gets one.');
    return { data: null };
  });
}

/**
 * Returns the end of the subscription's paid or trial period (ms UTC). Returns null if no subscription gives Premium, if
 * its payment failed, or if the webhook about the next period is late: Premium lasts until a webhook ends it.
 */
async function endOfPaidPeriod(
  store: Store,
  { accountId, entitlement, now }: { accountId: string; entitlement: Entitlement; now: number },
): Promise<number | null> {
  if (entitlement.source !== 'subscription' || entitlement.status === 'past_due') return null;
  const ends = (await listSubscriptions(store, accountId))
    .filter(({ status }) => status === 'active' || status === 'trialing')
    .map(({ periodEndsAt }) => periodEndsAt ?? 0);
  const end = Math.max(0, ...ends);
  return end > now ? end : null;
}

const ENTITLED_MS = DAY_MS;
const NOT_ENTITLED_MS = 300_000;

/**
 * Signs the entitlement as a JWT for the web app. It is valid for at most a day and never beyond the end of Premium or of the
 * paid period. Its key is public, so anybody can forge it: it only controls what the web app shows.
 */
function subscriptionToken(
  accountId: string,
  { plan, status, endsAt }: Entitlement,
  { paidUntil, now }: { paidUntil: number | null; now: number },
): Promise<string> {
  const lifetime = plan === 'premium' ? ENTITLED_MS : NOT_ENTITLED_MS;
  const ends = [now + lifetime, endsAt, paidUntil].filter((end) => end !== null);
  return new SignJWT({ status })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(accountId)
    .setExpirationTime(Math.floor(Math.min(...ends) / 1000))
    .sign(new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${accountId}`));
}

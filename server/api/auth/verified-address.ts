import type { Limits } from '../../core/index.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { MisuseRules } from '../../store/monitors/misuse.ts';
import type { AppParts } from '../http/api.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { MAX_WEIGHT } from '../http/rate-limit.ts';
import { trackedEndpoints } from '../../store/monitors/monitor-adding.ts';

/** Refusals of actions that need a verified address. */
const UNVERIFIED_REFUSALS = {
  import: ({ domainsBeforeProof: max }: Limits) =>
    refuse(
      'email_not_verified',
      `Verify your address to add many domains at once. Without it you can add up to ${max}, one at a time.`,
    ),
  channel: () =>
    refuse('email_not_verified', 'Verify your address to send alerts to other places than your own address.'),
  statusPage: () => refuse('email_not_verified', 'Verify your address to publish a status page.'),
  invoices: () => refuse('email_not_verified', 'Verify your address first: the portal shows your invoices.'),
  port: () =>
    refuse(
      'email_not_verified',
      'Verify your address to track ports of databases, caches and administration.',
    ),
  domains: ({ domainsBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${max} ${max === 1 ? 'domain' : 'domains'} without a verified address is reached. Verify your address to add more.`,
      { limit: 'domainsBeforeProof' },
    ),
  checks: ({ checksBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${max} ${max === 1 ? 'check' : 'checks'} a minute of one domain without a verified address is reached. Verify your address, or wait a minute.`,
      { limit: 'checksBeforeProof' },
    ),
  added: ({ domainsBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${3 * max} added domains a day without a verified address is reached. Verify your address, or wait until tomorrow.`,
      { limit: 'domainsBeforeProof' },
    ),
  again: ({ checksBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${10 * max} checks in ten minutes of one host without a verified address is reached. Verify your address, or wait a few minutes.`,
      { limit: 'checksBeforeProof' },
    ),
};

export function refusalOfUnverified(what: keyof typeof UNVERIFIED_REFUSALS, limits: Limits): Refusal {
  return UNVERIFIED_REFUSALS[what](limits);
}

/** Refuses the action `what` to an account whose address is not verified. Returns null if the address is verified. */
export function refuseUnverified(
  { emailVerified }: Pick<Account, 'emailVerified'>,
  what: keyof typeof UNVERIFIED_REFUSALS,
  { config }: Pick<AppParts, 'config'>,
): Refusal | null {
  return emailVerified ? null : refusalOfUnverified(what, config.limits);
}

/** Counts a manually requested check of a monitor. Returns null if it is allowed. */
export function limitCheck(
  { limits, config }: Pick<AppParts, 'limits' | 'config'>,
  { emailVerified }: Pick<Account, 'emailVerified'>,
  monitorId: string,
): Refusal | null {
  const limited = limits.allow('checkByDomain', monitorId);
  if (limited || emailVerified) return limited;
  return limits.allow('checkBeforeProof', monitorId) && refusalOfUnverified('checks', config.limits);
}

/**
 * Counts a change that triggers a check of `what`, the id of a domain or account. Returns null if allowed. Limits
 * unverified accounts to the rate of manual checks, over ten minutes: people save alert settings repeatedly.
 */
export function limitRecheck(
  { limits, config }: Pick<AppParts, 'limits' | 'config'>,
  { emailVerified }: Pick<Account, 'emailVerified'>,
  what: string,
): Refusal | null {
  if (emailVerified) return null;
  return limits.allow('recheckBeforeProof', what) && refusalOfUnverified('again', config.limits);
}

/**
 * Returns the rules against misuse when domains are added. Ports are limited only if sign-up is open, because then
 * anybody could scan ports through this server.
 */
export function misuseRules({ limits, signups }: AppParts['config']): MisuseRules {
  return { limits, guardsPorts: signups === 'open' };
}

/** Counts a call that triggers a check of every domain of the account. Returns null if it is allowed. */
export async function limitRecheckOfAll(
  parts: Pick<AppParts, 'store' | 'limits' | 'config'>,
  account: Pick<Account, 'id' | 'emailVerified'>,
): Promise<Refusal | null> {
  const { store, limits } = parts;
  const { id: accountId } = account;
  const limited = limitRecheck(parts, account, accountId);
  if (limited) return limited;
  const { count } = await trackedEndpoints(store, { accountId, endpoints: [] });
  return limits.allow('recheckAllByAccount', accountId, Math.min(count, MAX_WEIGHT));
}

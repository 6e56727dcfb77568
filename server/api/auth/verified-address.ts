import type { Limits } from '../../core/limits.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { type MisuseRules, REPLACEMENTS_PER_DAY } from '../../store/monitors/misuse.ts';
import type { AppParts } from '../http/api.ts';
import { addChannel } from '../../../contract/calls/alert.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { MAX_RECHECK_WEIGHT } from '../http/rate-limit.ts';
import { trackedEndpoints } from '../../store/monitors/monitor-adding.ts';

/**
 * Refusals for accounts without a confirmed address. Some actions need a confirmed address; others have lower limits without one.
 */
const UNVERIFIED_REFUSALS = {
  import: ({ domainsBeforeProof: max }: Limits) =>
    refuse(
      'email_not_verified',
      `Confirm your address to import domains. Without it you can add up to ${max}, one at a time.`,
    ),
  channel: () => refuse('email_not_verified', addChannel.needs.verified),
  statusPage: () => refuse('email_not_verified', 'Confirm your address to publish a status page.'),
  invoices: () => refuse('email_not_verified', 'Confirm your address first: the portal shows your invoices.'),
  port: () =>
    refuse(
      'email_not_verified',
      'Confirm your address to track ports of databases, caches and administration.',
    ),
  domains: ({ domainsBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${max} ${max === 1 ? 'domain' : 'domains'} without a confirmed address is reached. Confirm your address to add more.`,
      { limit: 'domainsBeforeProof' },
    ),
  checks: ({ checksBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${max} ${max === 1 ? 'check' : 'checks'} a minute per domain without a confirmed address is reached. Confirm your address, or wait a minute.`,
      { limit: 'checksBeforeProof' },
    ),
  added: ({ domainsBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${REPLACEMENTS_PER_DAY * max} added domains a day without a confirmed address is reached. Confirm your address, or wait until tomorrow.`,
      { limit: 'domainsBeforeProof' },
    ),
  again: ({ checksBeforeProof: max }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${10 * max} checks in 10 minutes per host without a confirmed address is reached. Confirm your address, or wait a few minutes.`,
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

/**
 * Counts a check that the owner of a monitor requests, or triggers by resuming the monitor or removing its maintenance window.
 * Returns null if the check is allowed.
 */
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
 * Counts a change by an unverified account that triggers a check of `what`, the id of a domain or account. Returns null if it is
 * allowed. The rate is that of manual checks, but averaged over ten minutes, because people save settings several times in a row.
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
  return limits.allow('recheckAllByAccount', accountId, Math.min(count, MAX_RECHECK_WEIGHT));
}

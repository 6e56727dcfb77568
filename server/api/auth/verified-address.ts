import type { Limits } from '../../core/index.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { MisuseRules } from '../../store/monitors/misuse.ts';
import type { AppParts } from '../http/api.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { MOST_WEIGHED } from '../http/rate-limit.ts';
import { trackedEndpoints } from '../../store/monitors/monitor-adding.ts';

/** Refusals for what an account may do only with a verified address. */
const NEEDS_PROOF = {
  import: ({ domainsBeforeProof: most }: Limits) =>
    refuse(
      'email_not_verified',
      `Verify your address to add many domains at once. Without it you can add up to ${most}, one at a time.`,
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
  domains: ({ domainsBeforeProof: most }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${most} ${most === 1 ? 'domain' : 'domains'} without a verified address is reached. Verify your address to add more.`,
      { limit: 'domainsBeforeProof' },
    ),
  checks: ({ checksBeforeProof: most }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${most} ${most === 1 ? 'check' : 'checks'} a minute of one domain without a verified address is reached. Verify your address, or wait a minute.`,
      { limit: 'checksBeforeProof' },
    ),
  added: ({ domainsBeforeProof: most }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${3 * most} added domains a day without a verified address is reached. Verify your address, or wait until tomorrow.`,
      { limit: 'domainsBeforeProof' },
    ),
  again: ({ checksBeforeProof: most }: Limits) =>
    new Refusal(
      'email_not_verified',
      `The limit of ${10 * most} checks in ten minutes of one host without a verified address is reached. Verify your address, or wait a few minutes.`,
      { limit: 'checksBeforeProof' },
    ),
};

/** Returns the refusal of what needs a verified address. */
export function needsProof(what: keyof typeof NEEDS_PROOF, limits: Limits): Refusal {
  return NEEDS_PROOF[what](limits);
}

/** Refuses an account that has not verified its address; null: it has. */
export function refuseUnverified(
  { emailVerified }: Pick<Account, 'emailVerified'>,
  what: keyof typeof NEEDS_PROOF,
  { config }: Pick<AppParts, 'config'>,
): Refusal | null {
  return emailVerified ? null : needsProof(what, config.limits);
}

/** Counts a check that somebody asks for by hand; null: it may be made. */
export function limitCheck(
  { limits, config }: Pick<AppParts, 'limits' | 'config'>,
  { emailVerified }: Pick<Account, 'emailVerified'>,
  monitorId: string,
): Refusal | null {
  const limited = limits.allow('checkByDomain', monitorId);
  if (limited || emailVerified) return limited;
  return limits.allow('checkBeforeProof', monitorId) && needsProof('checks', config.limits);
}

/**
 * Counts a change after which `what`, a domain or all domains of an account, is checked anew; null: it may be made. Without a verified
 * address there may be as many as checks by hand, counted over ten minutes: somebody who sets up alerts saves several times in a row.
 */
export function limitFollowing(
  { limits, config }: Pick<AppParts, 'limits' | 'config'>,
  { emailVerified }: Pick<Account, 'emailVerified'>,
  what: string,
): Refusal | null {
  if (emailVerified) return null;
  return limits.allow('recheckBeforeProof', what) && needsProof('again', config.limits);
}

/** The rules for adding domains. Where the operator decides who signs up, nobody is a stranger who scans ports. */
export function misuseRules({ limits, signups }: AppParts['config']): MisuseRules {
  return { limits, guardsPorts: signups === 'open' };
}

/** Counts a call that is followed by a check of every domain of the account; null: it may go on. */
export async function limitChecksOfAll(
  parts: Pick<AppParts, 'store' | 'limits' | 'config'>,
  account: Pick<Account, 'id' | 'emailVerified'>,
): Promise<Refusal | null> {
  const { store, limits } = parts;
  const { id: accountId } = account;
  const limited = limitFollowing(parts, account, accountId);
  if (limited) return limited;
  const { count } = await trackedEndpoints(store, { accountId, endpoints: [] });
  return limits.allow('toldAnewByAccount', accountId, Math.min(count, MOST_WEIGHED));
}

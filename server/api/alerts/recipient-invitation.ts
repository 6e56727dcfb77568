import { createHash, randomBytes } from 'node:crypto';
import { mailedLink } from '../../core/account-mail.ts';
import { normaliseAddress } from '../../core/mail-address.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Invitation } from '../../store/mail/recipient-confirmation.ts';
import type { AppParts } from '../http/api.ts';
import { Refusal } from '../http/problem.ts';
import { countAll, type RateLimit } from '../http/rate-limit.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

const VALID_MS = 7 * DAY_MS;
/** Limit per mailbox: it protects people from the invitations of many accounts. */
const BY_ADDRESS = { count: 3, windowMs: DAY_MS };
const BY_ACCOUNT = { count: 20, windowMs: DAY_MS };

/**
 * Creates the link by which the recipient at `address` agrees to get alerts. Returns a refusal after too many
 * invitations.
 */
export async function inviteRecipient(
  { store, config }: Pick<AppParts, 'store' | 'config'>,
  { account, address, now }: { account: Account; address: string; now: number },
): Promise<Invitation | Refusal> {
  const who = createHash('sha256').update(normaliseAddress(address)).digest('hex');
  const inTotal: RateLimit = {
    count: config.limits.invitationsPerHour,
    windowMs: HOUR_MS,
    set: { by: 'invitationsPerHour', what: 'invitations an hour from all accounts together' },
  };
  const counted = await countAll(store, now, [
    [`invite-recipient:account:${account.id}`, BY_ACCOUNT],
    [`invite-recipient:address:${who}`, BY_ADDRESS],
    ['invite-recipient:all', inTotal],
  ]);
  if (counted instanceof Refusal) return counted;
  const expiresAt = now + VALID_MS;
  // The token includes its expiry, and the database stores a hash of the whole token. So nobody can extend its validity.
  const token = `${randomBytes(32).toString('base64url')}.${expiresAt.toString(36)}`;
  const url = mailedLink('/confirm-recipient', token, config.publicUrl);
  return { address, token, url, accountName: account.email, expiresAt };
}

/** Returns whether a token has expired. Only the database knows whether it was ever valid. */
export function hasInvitationExpired(token: string, now: number): boolean {
  const expiresAt = Number.parseInt(token.split('.')[1] ?? '', 36);
  return !(expiresAt > now);
}

import { createHash, randomBytes } from 'node:crypto';
import { mailedLink, normaliseAddress } from '../../core/index.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Invitation } from '../../store/mail/mail-readers.ts';
import type { AppParts } from '../http/api.ts';
import { Refusal } from '../http/problem.ts';
import { countAll, type Limit } from '../http/rate-limit.ts';
import { HOUR_MS, DAY_MS } from '../../../contract/durations.ts';

const GOOD_FOR_MS = 7 * DAY_MS;
/** Protects one mailbox from invitations of many accounts. */
const BY_ADDRESS = { count: 3, windowMs: DAY_MS };
const BY_ACCOUNT = { count: 20, windowMs: DAY_MS };

/** Makes the link with which the reader of `address` agrees to get alerts; refuses where too many were asked for. */
export async function inviteRecipient(
  { store, config }: Pick<AppParts, 'store' | 'config'>,
  { account, address, now }: { account: Account; address: string; now: number },
): Promise<Invitation | Refusal> {
  const who = createHash('sha256').update(normaliseAddress(address)).digest('hex');
  const inTotal: Limit = {
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
  const expiresAt = now + GOOD_FOR_MS;
  // Its end is part of what is hashed and kept, so that nobody can put it off.
  const token = `${randomBytes(32).toString('base64url')}.${expiresAt.toString(36)}`;
  const url = mailedLink('/confirm-recipient', token, config.publicUrl);
  return { token, url, accountName: account.email, expiresAt };
}

/** Whether a token is past its end; whether it was ever good only the database knows. */
export function isInvitationOver(token: string, now: number): boolean {
  const expiresAt = Number.parseInt(token.split('.')[1] ?? '', 36);
  return !(expiresAt > now);
}

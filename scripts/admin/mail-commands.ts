import type { AccountMail } from '../../server/core/account-mail.ts';
import { displayName } from '../../server/core/endpoint.ts';
import { type Account, listIdentities } from '../../server/store/accounts/accounts.ts';
import { listOutgoingMail, type OutgoingMail, requeueMail } from '../../server/store/mail/sent-mail.ts';
import type { CommandContext } from './command-context.ts';
import { MistakeError } from './mistake-error.ts';
import { minuteText, table } from './plain.ts';
import { count } from '../../contract/words.ts';

const MAX_MAILS = 100;
/**
 * Number of characters of a mail's id that we print, and the fewest that we accept. They suffice to tell the mails of an
 * account apart.
 */
const SHORT_ID = 8;

const KINDS: Record<string, string> = {
  verify_email: 'Confirm your address',
  reset_password: 'Reset your password',
  password_changed: 'Your password was changed',
  account_cleared: 'Your account was reset',
  premium_ended: 'Premium has ended',
  feedback: 'Feedback for the operator',
  reached_you: 'Welcome email',
  confirm_recipient: 'Invitation to get alerts',
  channel_disabled: 'A channel was switched off',
  digest: 'Weekly digest',
  operator_alarm: 'Alarm for the operator',
} satisfies Record<AccountMail['kind'], string>;

export async function showMail(account: Account, { store }: CommandContext): Promise<string[]> {
  const mails = await listOutgoingMail(store, account, MAX_MAILS);
  if (mails.length === 0) return [`No mail was sent to ${account.email} yet.`];
  return table(
    ['ID', 'WHEN (UTC)', 'WHAT', 'STATE', 'TRIES', 'DETAIL'],
    mails.map((mail) => [
      mail.id.slice(0, SHORT_ID),
      minuteText(mail.createdAt),
      mailTitle(mail),
      mail.nextAttemptAt === null ? mail.state : `waiting until ${minuteText(mail.nextAttemptAt)}`,
      String(mail.attempts),
      mail.detail ?? '',
    ]),
  );
}

/**
 * Resends the mail whose id starts with `id`. Without `id`, resends all mails that wait or failed, and a verification
 * link if the address is not verified. Returns the lines to print. @throws MistakeError if mail `id` cannot be resent.
 */
export async function resendMail(
  account: Account,
  id: string | null,
  context: CommandContext,
): Promise<string[]> {
  const { store, now } = context;
  if (id !== null) return resendOne(account, id, context);
  const requeued = await requeueMail(store, account, { ids: null, now });
  const verification = await sendVerification(account, context);
  if (requeued.length === 0 && !verification)
    return [`There are no waiting or failed mails for ${account.email}.`];
  return [
    ...(requeued.length === 0 ? [] : [`Resending ${count(requeued.length, 'mail')}.`]),
    ...(verification ? [`Sending a new verification link to ${account.email}.`] : []),
    ...disabledNote(account),
  ];
}

async function resendOne(account: Account, id: string, context: CommandContext): Promise<string[]> {
  const mails = await listOutgoingMail(context.store, account, MAX_MAILS);
  const [mail, ...others] = mails.filter((each) => each.id.startsWith(id.toLowerCase()));
  if (mail === undefined || id.length < SHORT_ID)
    throw new MistakeError(
      `${account.email} has no mail ${id}. See: npm run admin -- mail ${account.email}`,
      1,
    );
  if (others.length > 0)
    throw new MistakeError(`The ids of several mails begin with ${id}. Enter more of the id.`, 1);
  const requeued = await requeueMail(context.store, account, { ids: [mail.id], now: context.now });
  if (requeued.length > 0) return [`Resending “${mailTitle(mail)}”.`, ...disabledNote(account)];
  // Once a verification mail is settled, its link is no longer stored. So send a new mail with a new link.
  if (mail.kind === 'verify_email' && (await sendVerification(account, context)))
    return [`Sending a new verification link to ${account.email}.`, ...disabledNote(account)];
  throw new MistakeError(
    mail.kind === 'reset_password'
      ? 'Password reset links are not stored. The person can request a new one on the login page.'
      : `That mail is ${mail.state}. Only waiting and failed mails can be resent.`,
    1,
  );
}

const disabledNote = ({ disabled }: Account): string[] =>
  disabled ? ['Nothing is sent until the account is enabled: disabled accounts get no mail.'] : [];

function mailTitle({ alert, kind }: OutgoingMail): string {
  if (alert !== null) return `Alert (${alert.step.replaceAll('_', ' ')}): ${displayName(alert)}`;
  return KINDS[kind ?? ''] ?? String(kind);
}

/**
 * Sends a new verification link. Returns false unless the account has an unverified address with the built-in provider.
 */
async function sendVerification(
  account: Account,
  { store, config, identitySecret, now }: CommandContext,
): Promise<boolean> {
  if (account.emailVerified || config.firebase !== null) return false;
  // Import the provider on demand, because its library takes longer to load than everything else together.
  const { BUILT_IN } = await import('../../server/providers/identity/id-token.ts');
  const { createIdentityProvider } = await import('../../server/providers/identity/built-in.ts');
  const { createIdentityEvents } = await import('../../server/api/auth/identity-events.ts');
  const { publicUrl, productName } = config;
  const clock = { now: () => now };
  const { builtIn } = createIdentityProvider({
    database: store.identityDatabase,
    secret: identitySecret(),
    publicUrl,
    productName,
    log: console,
    events: createIdentityEvents({ store, publicUrl, clock }),
    now: clock.now,
  });
  const identities = await listIdentities(store, account.id);
  const own = identities.find(({ issuer }) => issuer === BUILT_IN);
  if (own === undefined || builtIn === null) return false;
  await builtIn.sendVerification(own.subject);
  return true;
}

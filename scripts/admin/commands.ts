import {
  disableAccount,
  enableAccount,
  findAccountByEmail,
  listAccounts,
} from '../../server/store/accounts/account-administration.ts';
import { type Account, grantPremium, listIdentities } from '../../server/store/accounts/accounts.ts';
import { chargeableSubscriptions, entitlementAt } from '../../server/core/plan.ts';
import { listFeedback } from '../../server/store/accounts/feedback.ts';
import { verifyAddress } from '../../server/store/accounts/identity-users.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { endAllSessions } from '../../server/store/accounts/sessions.ts';
import { listSubscriptions } from '../../server/store/billing/subscriptions.ts';
import { resendMail, showMail } from './mail-commands.ts';
import { MistakeError } from './mistake-error.ts';
import { dayText, minuteText, paragraphs, table } from './plain.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { CommandContext } from './command-context.ts';

interface Command {
  usage: string;
  does: string;
  /** Minimum and maximum number of arguments. */
  argumentCount: [min: number, max: number];
  /** Returns the lines to print. */
  run(args: string[], context: CommandContext): Promise<string[]>;
}

const MAX_ACCOUNTS = 200;
const MAX_FEEDBACK = 50;

export const COMMANDS: Record<string, Command> = {
  accounts: {
    usage: 'accounts [TEXT]',
    does: 'lists accounts, newest first; with TEXT, only addresses that contain it',
    argumentCount: [0, 1],
    run: async ([text = ''], context) => accounts(text, context),
  },
  grant: {
    usage: 'grant ADDRESS [--days N]',
    does: 'grants Premium for N days, or until it is revoked',
    argumentCount: [1, 1],
    run: async ([address], context) => grant(await findAccount(address, context), context),
  },
  revoke: {
    usage: 'revoke ADDRESS',
    does: 'ends granted Premium; a paid subscription continues',
    argumentCount: [1, 1],
    run: async ([address], context) => revoke(await findAccount(address, context), context),
  },
  disable: {
    usage: 'disable ADDRESS',
    does: 'disables an account: no login, checks or mail; deletes nothing',
    argumentCount: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await disableAccount(context.store, id, context.now);
      const running = chargeableSubscriptions(await listSubscriptions(context.store, id), context.now);
      return [
        `${email} is disabled.`,
        // The operator has to cancel, because the owner of a disabled account can neither open the billing portal nor
        // delete the account.
        ...running.map((each) => `Its subscription ${each.id} continues: cancel it at the payment provider.`),
      ];
    },
  },
  enable: {
    usage: 'enable ADDRESS',
    does: 'enables the account again and sends its waiting mail',
    argumentCount: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await enableAccount(context.store, id);
      return [`${email} is enabled.`];
    },
  },
  verify: {
    usage: 'verify ADDRESS',
    does: 'marks an address as verified without a mail; first make sure whose it is',
    argumentCount: [1, 1],
    run: async ([address], context) => verify(await findAccount(address, context), context),
  },
  'sign-out': {
    usage: 'sign-out ADDRESS',
    does: 'ends all sessions of an account',
    argumentCount: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await endAllSessions(context.store, id);
      return [`${email} is signed out everywhere.`];
    },
  },
  mail: {
    usage: 'mail ADDRESS',
    does: 'lists the mails to an account, with their states',
    argumentCount: [1, 1],
    run: async ([address], context) => showMail(await findAccount(address, context), context),
  },
  'resend-mail': {
    usage: 'resend-mail ADDRESS [ID]',
    does: 'resends waiting and failed mails; sends a new link if the address is not confirmed',
    argumentCount: [1, 2],
    run: async ([address, id], context) =>
      resendMail(await findAccount(address, context), id ?? null, context),
  },
  feedback: {
    usage: 'feedback',
    does: 'lists feedback, from Premium accounts first',
    argumentCount: [0, 0],
    run: async (_, context) => feedback(context),
  },
};

async function findAccount(address: string | undefined, { store }: CommandContext): Promise<Account> {
  const account = await findAccountByEmail(store, address ?? '');
  if (account !== null) return account;
  throw new MistakeError(
    `There is no account with the address ${address}. See: npm run admin -- accounts`,
    1,
  );
}

async function accounts(text: string, { store, now }: CommandContext): Promise<string[]> {
  const found = await listAccounts(store, { text, limit: MAX_ACCOUNTS + 1 });
  if (found.length === 0)
    return [text === '' ? 'There are no accounts yet.' : `No address contains ${text}.`];
  const rows = found
    .slice(0, MAX_ACCOUNTS)
    .map((account) => [
      account.email,
      planOf(account, store, now),
      String(account.domains),
      dayText(account.createdAt),
      [account.emailVerified ? '' : 'not confirmed', account.disabled ? 'disabled' : '']
        .filter((note) => note !== '')
        .join(', '),
    ]);
  const more =
    found.length > MAX_ACCOUNTS ? ['… and more. To narrow the list, enter a part of the address.'] : [];
  return [...table(['ADDRESS', 'PLAN', 'DOMAINS', 'SINCE', 'NOTES'], rows), ...more];
}

function planOf(account: Account, store: Store, now: number): string {
  const { plan, status, source, endsAt } = entitlementAt(store, account.entitlement, now);
  if (plan === 'free') return 'Free';
  const sourceLabel = {
    grant: 'granted',
    trial: 'trial',
    deployment: 'everybody',
    subscription: 'paid',
    none: '',
  }[source];
  const pastDue = status === 'past_due' ? ', payment past due' : '';
  return `Premium (${sourceLabel}${pastDue}${endsAt === null ? '' : `, until ${dayText(endsAt)}`})`;
}

async function grant({ id, email }: Account, { store, days, now }: CommandContext): Promise<string[]> {
  const endsAt = days === null ? null : now + days * DAY_MS;
  await grantPremium(store, id, { grant: { endsAt }, now });
  return [
    `${email} has Premium ${endsAt === null ? 'until it is revoked' : `until ${minuteText(endsAt)} UTC`}.`,
    ...(store.everyonePremium ? ['With BILLING=none every account has Premium anyway.'] : []),
  ];
}

async function revoke(account: Account, context: CommandContext): Promise<string[]> {
  const { store, now } = context;
  await grantPremium(store, account.id, { grant: null, now });
  const after = await findAccount(account.email, context);
  return [`${account.email} no longer has granted Premium. Its plan is now: ${planOf(after, store, now)}.`];
}

async function verify({ id, email }: Account, { store }: CommandContext): Promise<string[]> {
  const { BUILT_IN } = await import('../../server/providers/identity/id-token.ts');
  const user = (await listIdentities(store, id)).find(({ issuer }) => issuer === BUILT_IN);
  if (user === undefined || !(await verifyAddress(store, user)))
    throw new MistakeError(`${email} signs in with another provider and can be verified only there.`, 1);
  return [`The address ${email} is verified.`];
}

async function feedback({ store }: CommandContext): Promise<string[]> {
  const written = await listFeedback(store, MAX_FEEDBACK);
  if (written.length === 0) return ['There is no feedback yet.'];
  return written.flatMap(({ premium, email, fullName, createdAt, message }, index) => [
    ...(index === 0 ? [] : ['']),
    ...table([`${premium ? '[Premium] ' : ''}${minuteText(createdAt)} UTC`, `${fullName} <${email}>`], []),
    ...paragraphs(message),
  ]);
}

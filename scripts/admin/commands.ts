import type { Config } from '../../server/config.ts';
import {
  findAccountByEmail,
  disableAccount,
  enableAccount,
  listAccounts,
} from '../../server/store/accounts/account-administration.ts';
import { type Account, grantPremium, listIdentities } from '../../server/store/accounts/accounts.ts';
import { entitlementAt } from '../../server/store/billing/entitlements.ts';
import { chargeableSubscriptions } from '../../server/core/index.ts';
import { listFeedback } from '../../server/store/accounts/feedback.ts';
import { verifyAddress } from '../../server/store/accounts/identity-users.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { endAllSessions } from '../../server/store/accounts/sessions.ts';
import { listSubscriptions } from '../../server/store/billing/subscriptions.ts';
import { resendMail, showMail } from './mail-commands.ts';
import { MistakeError } from './mistake-error.ts';
import { day, minute, paragraphs, table } from './plain.ts';
import { DAY_MS } from '../../contract/durations.ts';

/** Dependencies and options of a command. */
export interface CommandContext {
  store: Store;
  config: Config;
  /** Returns the secret of the built-in identity provider. @throws ConfigError if DATA_DIR has no secrets.json. */
  identitySecret: () => string;
  /** Value of `--days`; null without the option. */
  days: number | null;
  now: number;
}

interface Command {
  usage: string;
  does: string;
  /** Minimum and maximum number of arguments. */
  words: [min: number, max: number];
  /** Returns the lines to print. */
  run(words: string[], context: CommandContext): Promise<string[]>;
}

const MAX_ACCOUNTS = 200;
const MAX_FEEDBACK = 50;

export const COMMANDS: Record<string, Command> = {
  accounts: {
    usage: 'accounts [TEXT]',
    does: 'lists accounts, the newest first; only those with TEXT in the address',
    words: [0, 1],
    run: async ([text = ''], context) => accounts(text, context),
  },
  grant: {
    usage: 'grant ADDRESS [--days N]',
    does: 'gives Premium, for N days or for good',
    words: [1, 1],
    run: async ([address], context) => grant(await findAccount(address, context), context),
  },
  revoke: {
    usage: 'revoke ADDRESS',
    does: 'takes what was granted back; what is paid for stays',
    words: [1, 1],
    run: async ([address], context) => revoke(await findAccount(address, context), context),
  },
  disable: {
    usage: 'disable ADDRESS',
    does: 'shuts an account: no sign-in, no checks, no mail; nothing is deleted',
    words: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await disableAccount(context.store, id, context.now);
      const running = chargeableSubscriptions(await listSubscriptions(context.store, id), context.now);
      return [
        `${email} is disabled.`,
        // The operator has to cancel, because the owner of a disabled account can neither open the billing portal nor
        // delete the account.
        ...running.map((each) => `Its subscription ${each.id} goes on: cancel it at the payment provider.`),
      ];
    },
  },
  enable: {
    usage: 'enable ADDRESS',
    does: 'opens it again; what waited goes on',
    words: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await enableAccount(context.store, id);
      return [`${email} is enabled.`];
    },
  },
  verify: {
    usage: 'verify ADDRESS',
    does: 'takes an address for proven without a mail: be sure whose it is',
    words: [1, 1],
    run: async ([address], context) => verify(await findAccount(address, context), context),
  },
  'sign-out': {
    usage: 'sign-out ADDRESS',
    does: 'ends every session of an account',
    words: [1, 1],
    async run([address], context) {
      const { id, email } = await findAccount(address, context);
      await endAllSessions(context.store, id);
      return [`${email} is signed out everywhere.`];
    },
  },
  mail: {
    usage: 'mail ADDRESS',
    does: 'what was mailed to an account, and what became of it',
    words: [1, 1],
    run: async ([address], context) => showMail(await findAccount(address, context), context),
  },
  'resend-mail': {
    usage: 'resend-mail ADDRESS [ID]',
    does: 'sends what waits or failed, and a new link where the address is not verified',
    words: [1, 2],
    run: async ([address, id], context) =>
      resendMail(await findAccount(address, context), id ?? null, context),
  },
  feedback: {
    usage: 'feedback',
    does: 'what people wrote, that of Premium accounts first',
    words: [0, 0],
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
    return [text === '' ? 'There are no accounts yet.' : `No address has ${text} in it.`];
  const rows = found
    .slice(0, MAX_ACCOUNTS)
    .map((account) => [
      account.email,
      planOf(account, store, now),
      String(account.domains),
      day(account.createdAt),
      [account.emailVerified ? '' : 'not verified', account.disabled ? 'disabled' : '']
        .filter((note) => note !== '')
        .join(', '),
    ]);
  const more = found.length > MAX_ACCOUNTS ? ['… and more: give a part of the address.'] : [];
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
  return `Premium (${sourceLabel}${pastDue}${endsAt === null ? '' : `, until ${day(endsAt)}`})`;
}

async function grant({ id, email }: Account, { store, days, now }: CommandContext): Promise<string[]> {
  const endsAt = days === null ? null : now + days * DAY_MS;
  await grantPremium(store, id, { grant: { endsAt }, now });
  return [
    `${email} has Premium ${endsAt === null ? 'until it is revoked' : `until ${minute(endsAt)} UTC`}.`,
    ...(store.everyonePremium ? ['With BILLING=none everybody has it anyway.'] : []),
  ];
}

async function revoke(account: Account, context: CommandContext): Promise<string[]> {
  const { store, now } = context;
  await grantPremium(store, account.id, { grant: null, now });
  const after = await findAccount(account.email, context);
  return [`Nothing is granted to ${account.email} any more. Its plan now: ${planOf(after, store, now)}.`];
}

async function verify({ id, email }: Account, { store }: CommandContext): Promise<string[]> {
  const { BUILT_IN } = await import('../../server/providers/identity/index.ts');
  const user = (await listIdentities(store, id)).find(({ issuer }) => issuer === BUILT_IN);
  if (user === undefined || !(await verifyAddress(store, user)))
    throw new MistakeError(`${email} signs in elsewhere, and can be verified there only.`, 1);
  return [`The address ${email} is verified.`];
}

async function feedback({ store }: CommandContext): Promise<string[]> {
  const written = await listFeedback(store, MAX_FEEDBACK);
  if (written.length === 0) return ['Nobody has written yet.'];
  return written.flatMap(({ premium, email, fullName, createdAt, message }, index) => [
    ...(index === 0 ? [] : ['']),
    ...table([`${premium ? '[Premium] ' : ''}${minute(createdAt)} UTC`, `${fullName} <${email}>`], []),
    ...paragraphs(message),
  ]);
}

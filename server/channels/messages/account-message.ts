import {
  type AccountMail,
  type ClearedTable,
  count,
  displayName,
  knownZone,
  oneLine,
  type PlanSource,
} from '../../core/index.ts';
import type { AccountMessageInput, AccountWords, InTimeZone } from './account-mail.ts';
import { channelDisabled, confirmRecipient, welcomeMail } from './channel-messages.ts';
import { digestMessage } from './digest-message.ts';
import type { DrawnMail } from './mail-layout.ts';
import { operatorAlarm } from './operator-message.ts';
import { renderMail, type RenderedMessage } from './rendered-message.ts';
import { clockTime, instant } from './wording.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { FREE_DOMAIN_LIMIT } from '../../../contract/words.ts';

/** Renders a mail about the account itself, or from its owner to the operator. @throws TypeError if its kind is unknown. */
export function accountMessage(input: AccountMessageInput): RenderedMessage {
  const { productName } = input;
  const {
    subject,
    replyTo,
    headers,
    facts = [],
    footer,
    ...rest
  } = wordsOf({ ...input, timeZone: knownZone(input.timeZone) });
  const drawn: DrawnMail = {
    ...rest,
    facts,
    title: subject,
    productName,
    footer: footer ?? `You get this because somebody uses this address at ${productName}.`,
  };
  return {
    ...renderMail(drawn),
    ...(replyTo !== undefined && { replyTo }),
    ...(headers !== undefined && { headers }),
  };
}

function wordsOf(input: InTimeZone): AccountWords {
  const { content } = input;
  switch (content.kind) {
    case 'verify_email':
      return verifyEmail(content.url, input);
    case 'reset_password':
      return resetPassword(content, input);
    case 'password_changed':
      return passwordChanged(input);
    case 'account_cleared':
      return accountCleared(content, input);
    case 'premium_ended':
      return premiumEnded(content, input);
    case 'feedback':
      return feedback(content, input);
    case 'reached_you':
      return welcomeMail(content, input);
    case 'confirm_recipient':
      return confirmRecipient(content, input);
    case 'channel_disabled':
      return channelDisabled(content, input);
    case 'digest':
      return digestMessage(content, input);
    case 'operator_alarm':
      return operatorAlarm(content, input);
    default:
      throw new TypeError(`Nobody knows what a mail of the kind ${(content as { kind: string }).kind} says.`);
  }
}

function verifyEmail(url: string, { productName, publicUrl }: InTimeZone): AccountWords {
  return {
    subject: 'Verify your address',
    preheader: `One click, and ${productName} knows that alerts reach you here.`,
    heading: 'Verify your address',
    paragraphs: [
      `An account at ${publicUrl.host} was made with this address. Confirm that it is yours, so that ` +
        'every alert may reach you: until then it gets a few mails a day only.',
      'Open the link in the browser in which you are logged in. ' +
        'If you made no account, leave it alone: nobody can confirm the address but you.',
    ],
    button: { label: 'Verify your address', url },
  };
}

function resetPassword(
  { url, expiresAt }: { url: string; expiresAt: number },
  { createdAt, productName, timeZone }: InTimeZone,
): AccountWords {
  const minutes = count(Math.max(1, Math.round((expiresAt - createdAt) / MINUTE_MS)), 'minute');
  return {
    subject: 'Reset your password',
    preheader: `The link is good for ${minutes}, until ${clockTime(expiresAt, timeZone)}.`,
    heading: 'Set a new password',
    paragraphs: [
      `Somebody, we hope you, asked for a new password at ${productName}. The link is good for ${minutes}, until ` +
        `${clockTime(expiresAt, timeZone)}, and works once.`,
      'If you did not ask for it, you can ignore this mail: your password stays as it is.',
    ],
    button: { label: 'Set a new password', url },
  };
}

function passwordChanged({ createdAt, productName, publicUrl, timeZone }: InTimeZone): AccountWords {
  return {
    subject: 'Your password was changed',
    preheader: `On ${instant(createdAt, timeZone)}. If that was not you, set a new one now.`,
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your account at ${productName} was changed. Every browser was logged out, and API tokens and the calendar ` +
        'link stopped working. Create new ones if you need them.',
      'If that was you, there is nothing to do. If it was not, take the account back now: set a new password, ' +
        'and change the password of this mailbox too, for whoever did this may read it.',
    ],
    facts: [{ label: 'Changed', value: instant(createdAt, timeZone) }],
    button: { label: 'Set a new password', url: new URL('/forgot-password', publicUrl).href },
  };
}

const CLEARED_WORDS: Record<ClearedTable, [one: string, many: string]> = {
  channels: ['alert channel', 'alert channels'],
  maintenance_windows: ['maintenance window', 'maintenance windows'],
  calendar_feeds: ['calendar link', 'calendar links'],
  api_tokens: ['API token', 'API tokens'],
  status_pages: ['status page', 'status pages'],
  badges: ['badge', 'badges'],
  authorities: ['private authority', 'private authorities'],
};

function accountCleared(
  { domains, removed }: Extract<AccountMail, { kind: 'account_cleared' }>,
  { productName, publicUrl }: InTimeZone,
): AccountWords {
  const things = Object.entries(removed) as [ClearedTable, number][];
  const named = things.map(([table, n]) => `${n} ${CLEARED_WORDS[table][n === 1 ? 0 : 1]}`);
  const gone = new Intl.ListFormat('en-GB').format([...named, 'the history of alerts']);
  const what = domains === 1 ? '1 domain is paused: it was' : `${domains} domains are paused: they were`;
  const paused =
    domains === 0
      ? []
      : [
          `${what} added before you confirmed this address. Resume what is yours and remove the rest. ` +
            'Until then we check none of it and send no alerts about it.',
        ];
  return {
    subject: 'We cleared your account',
    preheader: 'Somebody may have used your address before you confirmed it.',
    heading: 'We cleared your account.',
    paragraphs: [
      `You confirmed that this address is yours. Somebody else may have set up its account at ${productName} before, so we logged out ` +
        `every browser, removed ${gone}, and reset the profile, notes, tags and alert settings.`,
      ...paused,
    ],
    button: { label: 'Open your domains', url: new URL('/dashboard', publicUrl).href },
  };
}

/** Maximum number of domains listed in a mail. The dashboard lists all domains. */
const MAX_NAMED = 10;

function premiumEnded(
  { paused, source }: { paused: { host: string; port: number }[]; source: PlanSource },
  { createdAt, productName, publicUrl, timeZone }: InTimeZone,
): AccountWords {
  const what = source === 'trial' ? 'Your Premium trial has ended' : 'Your Premium plan has ended';
  const named = paused.slice(0, MAX_NAMED).map((endpoint, index) => ({
    label: index === 0 ? 'Paused' : '',
    value: displayName(endpoint),
    mono: true,
  }));
  const more = paused.length - named.length;
  return {
    subject: what,
    preheader:
      paused.length === 0
        ? 'Your domains go on being checked, once a day.'
        : `${count(paused.length, 'domain')} ${paused.length === 1 ? 'is' : 'are'} paused now; nothing was deleted.`,
    heading: `${what}.`,
    paragraphs:
      paused.length === 0
        ? [
            `Since ${instant(createdAt, timeZone)} your account has the Free plan. All your domains go on as they were; ` +
              'they are checked once a day, and alerts by mail go on.',
          ]
        : [
            `Since ${instant(createdAt, timeZone)} your account has the Free plan, which checks ` +
              `${count(FREE_DOMAIN_LIMIT, 'domain')} once a day. Your oldest go on, and their alerts too. Nobody looks at ` +
              'the others until they are resumed: no checks, no alerts.',
            'Nothing was deleted. On the dashboard you can choose which domains go on.',
          ],
    facts: [...named, ...(more > 0 ? [{ label: '', value: `and ${more} more` }] : [])],
    button: { label: 'Show your domains', url: new URL('/dashboard', publicUrl).href },
    footer: `You get this because your account at ${productName} had Premium.`,
  };
}

function feedback(
  { from, message }: { from: { name: string; email: string; premium: boolean }; message: string },
  { createdAt, productName, timeZone }: InTimeZone,
): AccountWords {
  const email = oneLine(from.email);
  const name = oneLine(from.name) || email;
  const text = readable(message);
  return {
    subject: `${from.premium ? '[Premium] ' : ''}Feedback from ${name}`,
    preheader: oneLine(text),
    heading: `Feedback from ${name}`,
    paragraphs: [],
    quote: text,
    facts: [
      { label: 'Name', value: name },
      { label: 'Address', value: email, mono: true },
      { label: 'Plan', value: from.premium ? 'Premium' : 'Free' },
      { label: 'Written', value: instant(createdAt, timeZone) },
    ],
    button: {
      label: `Answer ${name}`,
      url: `mailto:${encodeURIComponent(from.email.toWellFormed()).replace('%40', '@')}`,
    },
    footer: `An answer to this mail goes to the sender. You get it because SUPPORT_EMAIL of ${productName} is this address.`,
    replyTo: from.email,
  };
}

/**
 * Replaces control and bidirectional characters of a person's text, which could garble the mail, with spaces. Keeps
 * line breaks.
 */
function readable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, ' ')
    .trim();
}

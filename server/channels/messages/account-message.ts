import type { AccountMail, ClearedTable } from '../../core/account-mail.ts';
import { knownZone } from '../../core/alerting/local-time.ts';
import { displayName } from '../../core/endpoint.ts';
import { oneLine } from '../../core/one-line.ts';
import type { PlanSource } from '../../core/plan.ts';
import type { Targeted } from '../../core/target.ts';
import type { AccountMessageInput, AccountWords, InTimeZone } from './account-mail.ts';
import { channelDisabledMail, recipientInvitationMail, welcomeMail } from './channel-messages.ts';
import { digestMessage } from './digest-message.ts';
import type { DrawnMail } from './mail-layout.ts';
import { operatorAlarmMail } from './operator-message.ts';
import { type RenderedMessage, renderMail } from './rendered-message.ts';
import { clockTime, formatInstant } from '../../../contract/time-zone.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { count, FREE_DOMAIN_LIMIT } from '../../../contract/words.ts';

/**
 * Renders a mail that is not an alert: to an account's owner, an added recipient or the operator. @throws TypeError if its
 * kind is unknown.
 */
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
    footer: footer ?? `You get this because an account at ${productName} uses this address.`,
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
      return recipientInvitationMail(content, input);
    case 'channel_disabled':
      return channelDisabledMail(content, input);
    case 'digest':
      return digestMessage(content, input);
    case 'operator_alarm':
      return operatorAlarmMail(content, input);
    default:
      throw new TypeError(`Unknown kind of mail: ${(content as { kind: string }).kind}`);
  }
}

function verifyEmail(url: string, { productName, publicUrl }: InTimeZone): AccountWords {
  return {
    subject: 'Confirm your address',
    preheader: `Open the link, so that ${productName} can send you every alert.`,
    heading: 'Confirm your address',
    paragraphs: [
      'To confirm that this address is yours, open the link in the browser in which you are logged in. Until then we send ' +
        'only a few emails a day to it.',
      `Somebody created an account at ${publicUrl.host} with this address. If it was not you, ignore this email: nobody else ` +
        'can confirm your address.',
    ],
    button: { label: 'Confirm your address', url },
  };
}

function resetPassword(
  { url, expiresAt }: { url: string; expiresAt: number },
  { createdAt, productName, timeZone }: InTimeZone,
): AccountWords {
  const minutes = count(Math.max(1, Math.round((expiresAt - createdAt) / MINUTE_MS)), 'minute');
  return {
    subject: 'Reset your password',
    preheader: `The link works once, for ${minutes}, until ${clockTime(expiresAt, timeZone)}.`,
    heading: 'Set a new password',
    paragraphs: [
      `Set a new password with the link below. It works once, for ${minutes}, until ${clockTime(expiresAt, timeZone)}.`,
      `Somebody requested this at ${productName}. If it was not you, ignore this email: your password stays as it is.`,
    ],
    button: { label: 'Set a new password', url },
  };
}

function passwordChanged({ createdAt, productName, publicUrl, timeZone }: InTimeZone): AccountWords {
  return {
    subject: 'Your password was changed',
    preheader: `It was changed on ${formatInstant(createdAt, timeZone)}. If that was not you, set a new password now.`,
    heading: 'Your password was changed',
    paragraphs: [
      'If that was you, there is nothing to do. If it was not, secure the account now: set a new password, ' +
        'and change the password of this mailbox too, because somebody may be reading it.',
      `The password of your account at ${productName} was changed. We logged out every browser, and API tokens and the calendar ` +
        'link stopped working. Create new ones if you need them.',
    ],
    facts: [{ label: 'Changed', value: formatInstant(createdAt, timeZone) }],
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
  const named = things.map(([table, n]) => count(n, ...CLEARED_WORDS[table]));
  const gone = new Intl.ListFormat('en-GB').format([...named, 'the alert history']);
  const first =
    domains === 0
      ? 'Check your alert settings and channels, and set up what you need again.'
      : `Resume the domains that are yours and remove the rest. ${count(domains, 'domain')} ` +
        `${domains === 1 ? 'is paused because it was' : 'are paused because they were'} added before you confirmed this address. ` +
        'Until you resume them, we do not check them or send alerts about them.';
  return {
    subject: 'We reset your account',
    preheader: 'Somebody may have used your address before you confirmed it.',
    heading: 'We reset your account.',
    paragraphs: [
      first,
      `You confirmed that this address is yours. Somebody else may have created the account at ${productName} before that, so we ` +
        `logged out every browser, removed ${gone}, and reset the profile, notes, tags and alert settings.`,
    ],
    button: { label: 'Open your domains', url: new URL('/dashboard', publicUrl).href },
  };
}

/** Maximum number of paused domains that the mail lists. The dashboard lists all domains. */
const MAX_NAMED = 10;

function premiumEnded(
  { paused, source }: { paused: Targeted[]; source: PlanSource },
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
        ? 'We still check all your domains, once a day.'
        : `${count(paused.length, 'domain')} ${paused.length === 1 ? 'is' : 'are'} paused now; nothing was deleted.`,
    heading: `${what}.`,
    paragraphs:
      paused.length === 0
        ? [
            `There is nothing to do. Your account has been on the Free plan since ${formatInstant(createdAt, timeZone)}. We still ` +
              'check all your domains, once a day, and send alerts by email.',
          ]
        : [
            'Choose on the dashboard which domains stay active. Nothing was deleted.',
            `Your account has been on the Free plan since ${formatInstant(createdAt, timeZone)}. It checks ` +
              `${count(FREE_DOMAIN_LIMIT, 'domain')} once a day. Your oldest domains stay active, with their alerts. We do not ` +
              'check the others or send alerts about them until you resume them.',
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
      { label: 'Sent', value: formatInstant(createdAt, timeZone) },
    ],
    button: {
      label: `Reply to ${name}`,
      url: `mailto:${encodeURIComponent(from.email.toWellFormed()).replace('%40', '@')}`,
    },
    footer: `Replies go to the sender. You get this because SUPPORT_EMAIL of ${productName} is this address.`,
    replyTo: from.email,
  };
}

/**
 * Replaces control and bidirectional characters in a person's text, which could garble the mail, with spaces. Keeps tabs and line
 * breaks.
 */
function readable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, ' ')
    .trim();
}

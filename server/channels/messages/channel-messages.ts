import { type AccountMail, displayName, oneLine, truncatedLine } from '../../core/index.ts';
import { definitionOf } from '../kinds/index.ts';
import type { AccountWords, InTimeZone } from './account-mail.ts';
import { instant } from './wording.ts';

type Mail<K extends AccountMail['kind']> = Extract<AccountMail, { kind: K }>;

/** Returns the welcome email. It is sent once, so that delivery problems show before the first alert. */
export function welcomeMail(mail: Mail<'reached_you'>, { productName, publicUrl }: InTimeZone): AccountWords {
  const host = displayName(mail);
  const more = mail.more === 0 ? '' : ` and ${mail.more} more`;
  return {
    subject: `We reached you: alerts for ${host}${more} will arrive here`,
    preheader: 'Nothing is wrong, and there is nothing to do.',
    badge: { tone: 'ok', text: 'Mail arrives' },
    heading: 'We reached you.',
    paragraphs: [
      `${productName} watches ${host}${more} now. When its certificate needs you, a mail like this one comes to this address.`,
      'If you found it among unwanted mail, tell your mail program that it is wanted: an alert should not end there.',
    ],
    facts: [{ label: 'Host', value: `${host}${more}`, mono: more === '' }],
    button: { label: 'Choose when we write', url: new URL('/alerts', publicUrl).href },
    footer: `You get this once, because you added your first domain at ${productName}.`,
  };
}

/** Returns the invitation of an added recipient, who may not know the product. */
export function confirmRecipient(
  { url, accountName }: Mail<'confirm_recipient'>,
  { productName, publicUrl }: InTimeZone,
): AccountWords {
  const who = oneLine(accountName) || 'Somebody';
  return {
    subject: `${who} wants to send you alerts about certificates`,
    preheader: 'One click, and they come. Without it, nothing does.',
    heading: `${who} wants to send you alerts.`,
    paragraphs: [
      `${productName} watches the certificates of websites and tells people before one of them ends. ${who} asked it to tell ` +
        'you too, at this address.',
      'If you agree, confirm it. If you do not know what this is about, leave it alone: without your word nothing comes.',
    ],
    facts: [
      { label: 'Asked by', value: who },
      { label: 'At', value: publicUrl.host, mono: true },
    ],
    button: { label: 'Yes, send me alerts', url },
    footer: `You get this because somebody entered this address at ${productName}. You can leave off any time.`,
  };
}

const SWITCHED_OFF = {
  then: 'it was switched off',
  remedy: 'switch it on again and send a test',
  badge: 'Channel switched off',
  since: 'Switched off',
};
const REASON_TEXTS: Record<
  Mail<'channel_disabled'>['reason'],
  { why: string; then: string; remedy: string; badge: string; since: string }
> = {
  gone: { why: 'It answered that it does not exist any more', ...SWITCHED_OFF },
  failing: { why: 'It took nothing for five days', ...SWITCHED_OFF },
  refused: {
    why: 'Its mail server refused our mail for good',
    then: 'nothing more is sent there',
    remedy: 'send its reader the link again: mail goes there once they agree',
    badge: 'Address refuses mail',
    since: 'Refused',
  },
};

/** Returns the mail which informs the owner that a channel gets no more alerts. */
export function channelDisabled(
  { name, channel, reason, detail }: Mail<'channel_disabled'>,
  { createdAt, productName, publicUrl, timeZone }: InTimeZone,
): AccountWords {
  const kindName = definitionOf(channel).name;
  const called = oneLine(name) || kindName;
  const answer = truncatedLine(detail, MAX_DETAIL_LENGTH);
  const { why, then, remedy, badge, since } = REASON_TEXTS[reason];
  return {
    subject: `Alerts do not reach ${called} any more`,
    preheader: `${why}, so ${then}.`,
    badge: { tone: 'critical', text: badge },
    heading: `Alerts do not reach ${called} any more.`,
    paragraphs: [
      `${why}. Nothing else is sent there; your other channels go on as before.`,
      `Look whether its address still holds, then ${remedy}. What could not be delivered stands in its receipts, and can be sent ` +
        'again from there.',
    ],
    facts: [
      { label: 'Channel', value: called },
      { label: 'Kind', value: kindName },
      ...(answer === '' ? [] : [{ label: 'Last answer', value: answer }]),
      { label: since, value: instant(createdAt, timeZone) },
    ],
    button: { label: 'Show the channel', url: new URL('/alerts', publicUrl).href },
    footer: `You get this because this channel belongs to your account at ${productName}.`,
  };
}

const MAX_DETAIL_LENGTH = 300;

import type { AccountMail } from '../../core/account-mail.ts';
import { displayName } from '../../core/endpoint.ts';
import { oneLine, truncatedLine } from '../../core/one-line.ts';
import { CHANNEL_LABELS } from '../../../contract/words.ts';
import type { AccountWords, InTimeZone } from './account-mail.ts';
import { formatInstant } from '../../../contract/time-zone.ts';

type Mail<K extends AccountMail['kind']> = Extract<AccountMail, { kind: K }>;

/** Returns the welcome email. It is sent with the account's first domain, so that delivery problems show before an alert. */
export function welcomeMail(mail: Mail<'reached_you'>, { productName, publicUrl }: InTimeZone): AccountWords {
  const host = displayName(mail);
  const more = mail.more === 0 ? '' : ` and ${mail.more} more`;
  return {
    subject: `Alerts for ${host}${more} will arrive here`,
    preheader: 'There is nothing to do: this email shows that alerts reach you.',
    badge: { tone: 'ok', text: 'Mail works' },
    heading: 'Alerts will arrive here.',
    paragraphs: [
      `There is nothing to do. ${productName} now watches ${host}${more} and sends alerts to this address.`,
      'If this email was in your spam folder, mark it as not spam, so that alerts do not end up there.',
    ],
    facts: [{ label: more === '' ? 'Host' : 'Hosts', value: `${host}${more}`, mono: more === '' }],
    button: { label: 'Change alerts', url: new URL('/alerts', publicUrl).href },
    footer: `You get this once, because you added your first domain at ${productName}.`,
  };
}

/** Returns the invitation of an added recipient, who may not know the product. */
export function recipientInvitationMail(
  { url, accountName }: Mail<'confirm_recipient'>,
  { productName, publicUrl }: InTimeZone,
): AccountWords {
  const who = oneLine(accountName) || 'Somebody';
  return {
    subject: `${who} wants to send you alerts about certificates`,
    preheader: 'Confirm to get them. Without your confirmation we send nothing.',
    heading: `${who} wants to send you alerts.`,
    paragraphs: [
      'Confirm below to get them. If you do not know what this is about, ignore this email: without your confirmation we send ' +
        'nothing.',
      `${productName} watches the certificates of websites and warns people before one expires. ${who} asked it to send ` +
        'alerts to this address too.',
    ],
    facts: [
      { label: 'Requested by', value: who },
      { label: 'Website', value: publicUrl.host, mono: true },
    ],
    button: { label: 'Yes, send me alerts', url },
    footer: `You get this because somebody entered this address at ${productName}. You can unsubscribe at any time.`,
  };
}

const SWITCHED_OFF = {
  then: 'we switched it off',
  remedy: 'switch it on again and send a test',
  badge: 'Channel switched off',
  since: 'Switched off',
};
const REASON_TEXTS: Record<
  Mail<'channel_disabled'>['reason'],
  { why: string; then: string; remedy: string; badge: string; since: string }
> = {
  gone: { why: 'It answered that it no longer exists', ...SWITCHED_OFF },
  failing: { why: 'It accepted no message for 5 days', ...SWITCHED_OFF },
  refused: {
    why: 'Its mail server permanently refused our mail',
    then: 'we no longer send alerts to it',
    remedy: 'send the recipient the link again: alerts resume once they confirm',
    badge: 'Address refuses mail',
    since: 'Refused',
  },
};

/** Returns the mail that informs the owner that a channel gets no more alerts. */
export function channelDisabledMail(
  { name, channel, reason, detail }: Mail<'channel_disabled'>,
  { createdAt, productName, publicUrl, timeZone }: InTimeZone,
): AccountWords {
  const kindName = CHANNEL_LABELS[channel];
  const called = oneLine(name) || kindName;
  const answer = truncatedLine(detail, MAX_DETAIL_LENGTH);
  const { why, then, remedy, badge, since } = REASON_TEXTS[reason];
  return {
    subject: `Alerts no longer reach ${called}`,
    preheader: `${why}, so ${then}.`,
    badge: { tone: 'critical', text: badge },
    heading: `Alerts no longer reach ${called}.`,
    paragraphs: [
      `Check whether its address is still right, then ${remedy}. You can resend undelivered messages under “Last messages”.`,
      `${why}, so ${then}. Your other channels still get alerts.`,
    ],
    facts: [
      { label: 'Channel', value: called },
      { label: 'Kind', value: kindName },
      ...(answer === '' ? [] : [{ label: 'Last answer', value: answer }]),
      { label: since, value: formatInstant(createdAt, timeZone) },
    ],
    button: { label: 'Show the channel', url: new URL('/alerts', publicUrl).href },
    footer: `You get this because this channel belongs to your account at ${productName}.`,
  };
}

const MAX_DETAIL_LENGTH = 300;

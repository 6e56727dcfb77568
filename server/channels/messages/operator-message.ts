import { type AccountMail, oneLine, truncatedLine } from '../../core/index.ts';
import type { AccountWords, InTimeZone } from './account-mail.ts';
import { instant } from './wording.ts';

interface AlarmText {
  title: string;
  what: string;
}

const ALARMS: Readonly<Record<string, AlarmText>> = {
  smtp_refuses_us: {
    title: 'The mail server refuses our mail',
    what: 'Look at SMTP_URL, at MAIL_FROM, and at what the server said. What waits is tried again for four days.',
  },
  smtp_unencrypted: {
    title: 'The connection to the mail server cannot be encrypted',
    what: 'Until the server offers STARTTLS with a certificate that can be verified, no mail is sent; what waits is retried for four days. If it did so before, somebody on the way may be removing the offer. On a network that you trust, add ?tls=opportunistic to SMTP_URL.',
  },
  mail_down: {
    title: 'Mail does not leave',
    what: 'Look whether the server of SMTP_URL runs and can be reached from here. What waits is tried again for four days.',
  },
  clock_wrong: {
    title: 'The clock of the server is wrong',
    what: 'Set it, and look why it is not kept right (NTP). Until then nothing is sent that depends on the date.',
  },
  network_cut: {
    title: 'The server is cut off from the network',
    what: 'None of the hosts that always answer did. Until they do, nobody is told that a domain is down.',
  },
  checks_late: {
    title: 'Checks run late',
    what: 'Look at the load of the machine and of the database, at CHECK_CONCURRENCY, and in the log.',
  },
  alerts_late: {
    title: 'Alerts leave late',
    what: 'Look at the mail server, and in the log for what keeps deliveries from ending.',
  },
  bounce_mailbox: {
    title: 'The mailbox of bounces cannot be read',
    what: 'Look at BOUNCE_MAILBOX. Until it can be read, addresses whose mail comes back are not noticed.',
  },
  paddle_sandbox: {
    title: 'Premium is sold without charging anybody',
    what: 'Use the keys of your live Paddle account (docs/guides/sell.md). If this is meant as a test, set BILLING=sandbox.',
  },
};

const MAX_DETAIL_LENGTH = 600;

/** Renders the mail to the operator about a problem that only the operator can fix. */
export function operatorAlarm(
  { code, detail, since }: Extract<AccountMail, { kind: 'operator_alarm' }>,
  { productName, publicUrl, timeZone }: InTimeZone,
): AccountWords {
  const name = oneLine(code);
  const title = ALARMS[code]?.title ?? `Something needs the operator: ${name}`;
  const seen = truncatedLine(detail, MAX_DETAIL_LENGTH);
  return {
    subject: `[${publicUrl.host}] ${title}`,
    preheader: seen || title,
    badge: { tone: 'critical', text: 'For the operator' },
    heading: `${title}.`,
    paragraphs: [
      ...(seen === '' ? [] : [seen]),
      ALARMS[code]?.what ?? 'Look in the log of the server.',
      'The monitoring guide (docs/guides/monitor.md) says more. You are told once; the alarm ends by itself when it is over.',
    ],
    facts: [
      { label: 'Alarm', value: name, mono: true },
      { label: 'Since', value: instant(since, timeZone) },
      { label: 'Server', value: publicUrl.host, mono: true },
    ],
    button: { label: `Open ${productName}`, url: new URL('/dashboard', publicUrl).href },
    footer: `You get this because SUPPORT_EMAIL of ${productName} is this address.`,
  };
}

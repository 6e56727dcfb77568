import type { AccountMail } from '../../core/account-mail.ts';
import { oneLine, truncatedLine } from '../../core/one-line.ts';
import type { AccountWords, InTimeZone } from './account-mail.ts';
import { formatInstant } from '../../../contract/time-zone.ts';

interface AlarmText {
  title: string;
  what: string;
}

const ALARMS: Readonly<Record<string, AlarmText>> = {
  smtp_refuses_us: {
    title: 'The mail server refuses our mail',
    what: 'Check SMTP_URL, MAIL_FROM and what the mail server said. We retry waiting mail for 4 days.',
  },
  smtp_unencrypted: {
    title: 'The connection to the mail server cannot be encrypted',
    what: 'Set up STARTTLS on the mail server, with a certificate that can be verified. Until then we send no mail; we retry waiting mail for 4 days. If the server offered STARTTLS before, somebody on the network path may be removing the offer. On a network that you trust, add ?tls=opportunistic to SMTP_URL.',
  },
  smtp_no_reply: {
    title: 'The mail server does not confirm our mail',
    what: 'It received whole mails, but within 10 minutes it did not say whether it accepts them, or the connection ended before. Check what delays it, such as a content filter, and whether a proxy or firewall on the way ends connections. We retry these mails for 4 days, so they may arrive several times.',
  },
  mail_down: {
    title: 'Mail cannot be sent',
    what: 'Check whether the server of SMTP_URL is running and can be reached from here. We retry waiting mail for 4 days.',
  },
  clock_wrong: {
    title: 'The clock of the server is wrong',
    what: 'Set the clock, and check its synchronisation (NTP). Until then we send nothing that depends on the date.',
  },
  network_cut: {
    title: 'The server is cut off from the network',
    what: 'Check the network of this server, and whether its address is on a blocklist. Until it works, we send no alerts that a domain is down.',
  },
  checks_late: {
    title: 'Checks run late',
    what: 'Check the load of the machine and of the database, CHECK_CONCURRENCY, and the log.',
  },
  alerts_late: {
    title: 'Alerts are sent late',
    what: 'Check the mail server, and look in the log for what delays deliveries.',
  },
  bounce_mailbox: {
    title: 'The bounce mailbox cannot be read',
    what: 'Check BOUNCE_MAILBOX. Until it can be read, we do not notice addresses whose mail bounces.',
  },
  paddle_sandbox: {
    title: 'Premium is sold without charging anybody',
    what: 'Use the keys of your live Paddle account (docs/guides/sell.md). If this is meant as a test, set BILLING=sandbox.',
  },
  database_damaged: {
    title: 'The database is damaged',
    what: 'Some data cannot be read. Check the disk, then restore a backup (docs/guides/back-up.md).',
  },
  disk_failed: {
    title: 'The disk of the server failed',
    what: 'Check the disk and the log of the system. After a failed write to the log of the embedded database nothing is saved until the server is restarted.',
  },
  disk_full: {
    title: 'The disk of the server is full',
    what: 'Free some space. Until then nothing can be saved.',
  },
  tls_differs: {
    title: 'Two TLS clients disagree about a host',
    what: 'Our own TLS client found a host fine, and OpenSSL saw something else, four times in a row. What OpenSSL saw counts. If the host answers all clients alike, this is a bug: please report it.',
  },
};

const MAX_DETAIL_LENGTH = 600;

/** Returns the mail to the operator about a problem that only the operator can fix. */
export function operatorAlarmMail(
  { code, detail, since }: Extract<AccountMail, { kind: 'operator_alarm' }>,
  { productName, publicUrl, timeZone }: InTimeZone,
): AccountWords {
  const name = oneLine(code);
  const title = ALARMS[code]?.title ?? `The server needs attention: ${name}`;
  const seen = truncatedLine(detail, MAX_DETAIL_LENGTH);
  return {
    subject: `[${publicUrl.host}] ${title}`,
    preheader: seen || title,
    badge: { tone: 'critical', text: 'For the operator' },
    heading: `${title}.`,
    paragraphs: [
      ALARMS[code]?.what ?? 'Check the server’s log.',
      ...(seen === '' ? [] : [seen]),
      'The monitoring guide (docs/guides/monitor.md) says more. We send this once; the alarm clears itself when the problem is over.',
    ],
    facts: [
      { label: 'Alarm', value: name, mono: true },
      { label: 'Since', value: formatInstant(since, timeZone) },
      { label: 'Server', value: publicUrl.host, mono: true },
    ],
    button: { label: `Open ${productName}`, url: new URL('/dashboard', publicUrl).href },
    footer: `You get this because SUPPORT_EMAIL of ${productName} is this address.`,
  };
}

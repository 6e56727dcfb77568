import type { CertificateFacts } from '../../core/index.ts';
import { alertSteps, displayName, expectedRenewal, longDate, oneLine } from '../../core/index.ts';
import type { AlertMessageInput } from './alert-message.ts';
import type { DrawnMail, Tone } from './mail-layout.ts';
import { mailLayout } from './mail-layout.ts';
import { plainText } from './plain-text.ts';
import type { RenderedMessage } from './rendered-message.ts';
import {
  alertTimes,
  clockTime,
  DAY_MS,
  duration,
  instant,
  knownZone,
  SEEN_EARLIER_MS,
  weekdayDate,
} from './wording.ts';

type Zoned = AlertMessageInput & { timeZone: string };

const HTTPS_PORT = 443;
const CRITICAL_DAYS = 7;
const SOON_DAYS = 14;

/** The mail about an expiring or expired certificate, in the words of `now`: render it anew at every attempt. */
export function expiryMessage(given: AlertMessageInput): RenderedMessage {
  const timeZone = knownZone(given.timeZone);
  const input: Zoned = { ...given, timeZone };
  const { alert, monitor, now } = input;
  const host = displayName(monitor);
  const subject = subjectOf(input, host);
  const authority = oneLine(issuedCertificate(input)?.authorityName ?? '');
  const verb = now < alert.notAfter ? 'Expires' : 'Expired';
  const preheader =
    `${verb} ${weekdayDate(alert.notAfter, timeZone).replace(',', '')} at ${clockTime(alert.notAfter, timeZone)}.` +
    (authority === '' ? '' : ` Issued by ${authority}.`);

  const url = new URL('/dashboard', input.publicUrl);
  url.searchParams.set('domain', monitor.id);
  const content: DrawnMail = {
    title: subject,
    preheader,
    productName: input.productName,
    badge: badgeOf(input),
    heading: headingOf(input, host),
    paragraphs: paragraphsOf(input),
    bar: {
      notBefore: alert.notBefore,
      notAfter: alert.notAfter,
      now,
      tone: badgeOf(input).tone,
      from: `Issued ${longDate(alert.notBefore, timeZone)}`,
      to: longDate(alert.notAfter, timeZone),
    },
    facts: factsOf(input, host),
    button: { label: 'Show certificate details', url: url.href },
    footer:
      `You get this because you track this host in ${input.productName}. ` +
      `Alerts go out ${alertTimes(alert)}.`,
  };
  return { subject, preheader, html: mailLayout(content), text: plainText(content) };
}

function isOverdueOnly({ alert, now }: Zoned): boolean {
  return alert.step === 'renewal_overdue' && now < alert.notAfter;
}

/** The facts belong to the certificate that the alert is about only if the fingerprint says so. */
function issuedCertificate({ alert, certificate }: Zoned): CertificateFacts | null {
  return certificate?.fingerprint === alert.fingerprint ? certificate : null;
}

function subjectOf(input: Zoned, host: string): string {
  const { alert, now, timeZone } = input;
  const what = alert.role === 'leaf' ? host : `${host}: an intermediate certificate`;
  if (now >= alert.notAfter) return `${what} expired on ${longDate(alert.notAfter, timeZone)}`;
  const expires = `${what} expires in ${duration(alert.notAfter - now)}`;
  return isOverdueOnly(input) ? `${expires}, renewal overdue` : expires;
}

/** The thresholds of the page's badge; above them only an overdue renewal is worth a mail. */
function badgeOf(input: Zoned): { tone: Tone; text: string } {
  const left = input.alert.notAfter - input.now;
  if (left <= 0) return { tone: 'expired', text: 'Expired' };
  const days = Math.floor(left / DAY_MS);
  if (days <= CRITICAL_DAYS) return { tone: 'critical', text: `Expiring in ${duration(left)}` };
  if (days <= SOON_DAYS) return { tone: 'soon', text: `Expires in ${duration(left)}` };
  return { tone: 'soon', text: isOverdueOnly(input) ? 'Renewal overdue' : `Expires in ${duration(left)}` };
}

function headingOf(input: Zoned, host: string): DrawnMail['heading'] {
  const { alert, now, timeZone } = input;
  const date = weekdayDate(alert.notAfter, timeZone);
  const before = alert.role === 'leaf' ? 'The certificate for ' : 'An intermediate certificate of ';
  if (now >= alert.notAfter) return { before, host, after: ` expired on ${date}.` };
  if (isOverdueOnly(input))
    return { before, host, after: ` has not been renewed yet. It expires on ${date}.` };
  return { before, host, after: ` expires on ${date}.` };
}

function paragraphsOf(input: Zoned): string[] {
  const { alert, alertedAt, certificate, monitor, now, timeZone } = input;
  const time = clockTime(alert.notAfter, timeZone);
  const passed = now >= alert.notAfter;
  const consequence = consequenceOf(monitor.port, time, passed);
  const paragraphs: string[] = [];

  if (alert.role === 'intermediate') {
    const stillValid =
      certificate !== null &&
      certificate.fingerprint !== alert.fingerprint &&
      certificate.notAfter > alert.notAfter
        ? ` The certificate of the host itself is valid until ${longDate(certificate.notAfter, timeZone)}.`
        : '';
    paragraphs.push(
      `“${oneLine(alert.name)}” limits this host: it stands between the host’s certificate and the authority that ` +
        `clients trust, and it ends first. ${consequence}${stillValid}`,
      'Install the current chain of your certificate authority; the next check will pick it up.',
    );
  } else {
    const remedy = isOverdueOnly(input)
      ? overdue(input)
      : `${passed ? 'Renew it now' : 'Renew it before then'}; the next check will pick up the new certificate.`;
    paragraphs.push(`${consequence} ${remedy}`);
  }
  if (alertedAt - alert.asOf > SEEN_EARLIER_MS) {
    paragraphs.push(
      `The host could not be reached at the last check. This is as of ${instant(alert.asOf, timeZone)}, ` +
        'when the certificate was last seen.',
    );
  }
  return paragraphs;
}

/** Overdue before the lifetime alone would say so: then the CA's own window (RFC 9773) has ended. */
function overdue({ alert, alertedAt, timeZone }: Zoned): string {
  const usual = alertSteps(alert).find(({ step }) => step === 'renewal_overdue');
  return usual !== undefined && alertedAt < usual.at
    ? 'Its authority wanted it renewed by now, earlier than usual, and may revoke it; if renewal is automatic, it may have stopped working.'
    : `A renewal was expected from ${longDate(expectedRenewal(alert).from, timeZone)} on; if it is automatic, it may have stopped working.`;
}

function consequenceOf(port: number, time: string, passed: boolean): string {
  const who = port === HTTPS_PORT ? 'visitors' : 'clients';
  const what = port === HTTPS_PORT ? 'see a security warning instead of the site' : 'refuse to connect';
  return passed ? `Since ${time} that day, ${who} ${what}.` : `After ${time} that day, ${who} will ${what}.`;
}

function factsOf(input: Zoned, host: string): DrawnMail['facts'] {
  const { alert, monitor, now, timeZone } = input;
  const issuer = oneLine(issuedCertificate(input)?.issuer ?? '');
  return [
    { label: 'Host', value: host, mono: true },
    ...(alert.role === 'intermediate' ? [{ label: 'Limited by', value: oneLine(alert.name) }] : []),
    ...(issuer === '' ? [] : [{ label: 'Issuer', value: issuer }]),
    { label: 'Valid from', value: longDate(alert.notBefore, timeZone) },
    { label: now < alert.notAfter ? 'Expires on' : 'Expired on', value: instant(alert.notAfter, timeZone) },
    ...(monitor.lastCheckedAt === null
      ? []
      : [{ label: 'Last checked', value: instant(monitor.lastCheckedAt, timeZone) }]),
  ];
}

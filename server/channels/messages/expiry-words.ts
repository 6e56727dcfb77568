import { alertSteps, expectedRenewal } from '../../core/alert-steps.ts';
import { duration, longDate } from '../../core/long-date.ts';
import { oneLine } from '../../core/one-line.ts';
import {
  alertCertificateFacts,
  type AlertWords,
  certificateOf,
  type DomainAlertInput,
} from './alert-input.ts';
import type { Tone } from './mail-colours.ts';
import type { DrawnMail } from './mail-layout.ts';
import {
  alertTimes,
  clientConsequence,
  hostRows,
  lastChecked,
  lastSeenParagraph,
  weekdayDate,
} from './wording.ts';
import { clockTime, formatInstant } from '../../../contract/time-zone.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { expiryState } from '../../../contract/state/badge.ts';
import { CRITICAL_DAYS } from '../../../contract/words.ts';

/** Returns the words about a certificate that expires or has expired. */
export function expiryWords(input: DomainAlertInput): AlertWords {
  const { now, timeZone, steps } = input;
  const certificate = certificateOf(input);
  const { notBefore, notAfter } = certificate;
  const authority = oneLine(alertCertificateFacts(input)?.authorityName ?? '');
  const badge = badgeOf(input);
  return {
    badge,
    preheader:
      `${now < notAfter ? 'Expires' : 'Expired'} ${weekdayDate(notAfter, timeZone).replace(',', '')} at ` +
      `${clockTime(notAfter, timeZone)}.${authority === '' ? '' : ` Issued by ${authority}.`}`,
    heading: headingOf(input),
    paragraphs: [...paragraphsOf(input), ...lastSeenParagraph(input)],
    ...(certificate.role === 'leaf' && { bullets: RENEWAL_FAILURES }),
    bar: {
      notBefore,
      notAfter,
      now,
      tone: badge.tone,
      from: `Issued ${longDate(notBefore, timeZone)}`,
      to: longDate(notAfter, timeZone),
    },
    facts: factsOf(input),
    schedule: `Alerts go out ${alertTimes(certificate, steps)}.`,
  };
}

function isOverdueOnly(input: DomainAlertInput): boolean {
  return input.alert.step === 'renewal_overdue' && input.now < certificateOf(input).notAfter;
}

/** Returns the badge, with the same thresholds as the web page. If more time is left, the alert may be about an overdue renewal. */
function badgeOf(input: DomainAlertInput): { tone: Tone; text: string } {
  const left = certificateOf(input).notAfter - input.now;
  if (left <= 0) return { tone: 'expired', text: 'Expired' };
  const state = expiryState(certificateOf(input).notAfter, input.now);
  if (state === 'critical') return { tone: state, text: `Expiring in ${duration(left)}` };
  const isOverdue = state === 'ok' && isOverdueOnly(input);
  return { tone: 'soon', text: isOverdue ? 'Renewal overdue' : `Expires in ${duration(left)}` };
}

function headingOf(input: DomainAlertInput): DrawnMail['heading'] {
  const { host, now, timeZone } = input;
  const { notAfter, role } = certificateOf(input);
  const date = weekdayDate(notAfter, timeZone);
  const before = role === 'leaf' ? 'The certificate for ' : 'An intermediate certificate of ';
  if (now >= notAfter) return { before, host, after: ` expired on ${date}.` };
  if (isOverdueOnly(input))
    return { before, host, after: ` has not been renewed yet. It expires on ${date}.` };
  return { before, host, after: ` expires on ${date}.` };
}

/** Usual reasons why automatic renewal stops, the most frequent first. */
const RENEWAL_FAILURES = {
  lead: 'If renewal is automatic, check the log of your ACME client. Usual causes:',
  items: [
    'The authority cannot verify the challenge: port 80 is closed, or a DNS record changed.',
    'The timer or cron job that starts the client does not run.',
    'The server was not reloaded and still serves the old certificate.',
  ],
};

function paragraphsOf(input: DomainAlertInput): string[] {
  const { certificate, monitor, now, timeZone } = input;
  const about = certificateOf(input);
  const passed = now >= about.notAfter;
  const consequence = consequenceOf(monitor.port, clockTime(about.notAfter, timeZone), passed);
  if (about.role === 'intermediate') {
    const isOutlived =
      certificate !== null &&
      certificate.fingerprint !== about.fingerprint &&
      certificate.notAfter > about.notAfter;
    const stillValid = isOutlived
      ? ` The certificate of the host itself is valid until ${longDate(certificate.notAfter, timeZone)}.`
      : '';
    return [
      'Install the current chain of your certificate authority. The next check will pick it up.',
      `“${oneLine(about.name)}” limits this host: it is between the host’s certificate and the authority that clients ` +
        `trust, and it expires first. ${consequence}${stillValid}`,
    ];
  }
  const isOverdue = isOverdueOnly(input);
  const remedy = passed || isOverdue ? 'Renew it now.' : 'Renew it before then.';
  // Put the reason last: the consequence says “that day”, so no other date may come between it and the heading.
  const reason = isOverdue ? ` ${overdueSentence(input)}` : '';
  return [`${remedy} ${consequence}${reason} The next check will pick up the new certificate.`];
}

/**
 * Returns the sentence about an overdue renewal. If the alert is earlier than the lifetime of the certificate suggests, its
 * reason is that the renewal window of the authority (RFC 9773) has ended.
 */
function overdueSentence(input: DomainAlertInput): string {
  const certificate = certificateOf(input);
  const usual = alertSteps(certificate).find(({ step }) => step === 'renewal_overdue');
  return usual !== undefined && input.alertedAt < usual.at
    ? 'Its authority asked for an earlier renewal than usual and may revoke it.'
    : `The renewal has been expected since ${longDate(expectedRenewal(certificate).from, input.timeZone)}.`;
}

function consequenceOf(port: number, time: string, passed: boolean): string {
  const what = clientConsequence(port);
  return passed
    ? `Since ${time} that day, ${what}.`
    : `After ${time} that day, ${what.replace(' ', ' will ')}.`;
}

function factsOf(input: DomainAlertInput): DrawnMail['facts'] {
  const { now, timeZone } = input;
  const { name, notBefore, notAfter, role } = certificateOf(input);
  const issuer = oneLine(alertCertificateFacts(input)?.issuer ?? '');
  return [
    ...hostRows(input),
    ...(role === 'intermediate' ? [{ label: 'Limited by', value: oneLine(name) }] : []),
    ...(issuer === '' ? [] : [{ label: 'Issuer', value: issuer }]),
    { label: 'Valid from', value: longDate(notBefore, timeZone) },
    { label: now < notAfter ? 'Expires on' : 'Expired on', value: formatInstant(notAfter, timeZone) },
    ...lastChecked(input),
  ];
}

/** Returns the words about a domain registration that ends or has ended. */
export function registrationWords(input: DomainAlertInput): AlertWords {
  const { alert, now, timeZone } = input;
  const { domain, expiresAt, registrar } = alert.facts.registration ?? {
    domain: input.host,
    expiresAt: now,
    registrar: null,
  };
  const left = expiresAt - now;
  const date = weekdayDate(expiresAt, timeZone);
  const by = oneLine(registrar ?? '');
  const isOver = left <= 0;
  return {
    badge: {
      tone: isOver ? 'expired' : left <= CRITICAL_DAYS * DAY_MS ? 'critical' : 'soon',
      text: isOver ? 'Registration ended' : `Registration ends in ${duration(left)}`,
    },
    preheader: `${isOver ? 'Ended' : 'Ends'} ${date.replace(',', '')}.${by === '' ? '' : ` Registered with ${by}.`}`,
    heading: {
      before: 'The registration of ',
      host: domain,
      after: isOver ? ` ended on ${date}.` : ` ends on ${date}.`,
    },
    paragraphs: [
      `Renew it at ${by === '' ? 'your registrar' : by}${isOver ? ' now' : ' before then'}. Without a renewal, all names under it stop ` +
        'working, and somebody else may register it.',
      'If it has been renewed already, there is nothing to do: registries may take some days to show that.',
    ],
    facts: [
      ...hostRows(input),
      ...(by === '' ? [] : [{ label: 'Registrar', value: by }]),
      { label: isOver ? 'Ended on' : 'Ends on', value: formatInstant(expiresAt, timeZone) },
    ],
    schedule: 'Alerts go out 60, 30, 14, 7 and 1 days before the end.',
  };
}

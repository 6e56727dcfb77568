import { WRONG_NAME } from '../../../contract/check-words.ts';
import { REFUSAL_STEP_DAYS, RENEWAL_REMINDER_DAYS } from '../../../contract/words.ts';
import type { AlertCertificate } from '../../core/alerting/alert.ts';
import { longDate } from '../../core/long-date.ts';
import { oneLine, truncatedLine } from '../../core/one-line.ts';
import { alertCertificateFacts, type AlertWords, type DomainAlertInput } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import {
  checkSentence,
  clientConsequence,
  hostRows,
  lastChecked,
  lastSeenParagraph,
  waitingRows,
} from './wording.ts';
import { formatInstant } from '../../../contract/time-zone.ts';

type Fault =
  | 'wrong_name'
  | 'chain_broken'
  | 'chain_incomplete'
  | 'replacement_wanted'
  | 'not_deployed'
  | 'refused_from'
  | 'renewal_fails';

interface FaultWords extends Pick<AlertWords, 'badge' | 'schedule'> {
  before: string;
  after: string;
  /**
   * Returns the text that follows `message`, the verdict's sentence. Both may be empty. `consequence` says what clients do.
   */
  lead: (consequence: string, message: string) => string;
}

const FAULTS: Record<Fault, FaultWords> = {
  wrong_name: {
    badge: { tone: 'critical', text: WRONG_NAME },
    before: 'The certificate at ',
    after: ' does not cover this host.',
    lead: (consequence) => `Until this is fixed, ${consequence}.`,
    schedule: 'We send one message now and one when it is fixed.',
  },
  chain_broken: {
    badge: { tone: 'critical', text: 'Not trusted' },
    before: 'Clients do not trust the certificate of ',
    after: '.',
    lead: (consequence) => `Until this is fixed, ${consequence}.`,
    schedule: 'We send one message now and one when it is fixed.',
  },
  chain_incomplete: {
    badge: { tone: 'soon', text: 'Chain incomplete' },
    before: 'The certificate chain of ',
    after: ' is incomplete.',
    // If there is a message, return no text: the message says the same and names the certificate.
    lead: (_, message) =>
      message === ''
        ? 'Browsers that know the missing certificate still connect. Other clients, such as apps and scripts, refuse to connect.'
        : '',
    schedule: 'We send one message now and one when it is fixed.',
  },
  replacement_wanted: {
    badge: { tone: 'soon', text: 'Replacement wanted' },
    before: 'The authority wants the certificate of ',
    after: ' replaced.',
    lead: () => 'It asks for this earlier than usual, as authorities do before they revoke a certificate.',
    schedule: 'We send this once for each certificate.',
  },
  not_deployed: {
    badge: { tone: 'soon', text: 'Not renewed everywhere' },
    before: 'The old certificate for ',
    after: ' is still served.',
    lead: () =>
      'Its renewal should be served by now. Reload each server that still serves the old one, or install the new certificate there. ' +
      'The next check will pick it up.',
    schedule: 'We send one message when a renewal should be served everywhere, and one when it is.',
  },
  refused_from: {
    badge: { tone: 'soon', text: 'Refused soon' },
    before: 'The certificate of ',
    after: ' will be refused.',
    lead: () => 'Until then, the certificate is as good as before.',
    schedule: `Alerts go out ${REFUSAL_STEP_DAYS.slice(0, -1).join(', ')} and ${REFUSAL_STEP_DAYS.at(-1)} days before.`,
  },
  renewal_fails: {
    badge: { tone: 'soon', text: 'Renewal will fail' },
    before: 'The next renewal of the certificate of ',
    after: ' will fail.',
    lead: () => 'Today’s certificate stays valid until it expires. After that, clients refuse it.',
    schedule: `We send one message when we know the cause, one ${RENEWAL_REMINDER_DAYS} days before the expected renewal, and one when the cause is gone.`,
  },
};

/** Returns the words about one of `FAULTS`, with the sentence of the verdict and how to fix the fault. */
export function faultWords(input: DomainAlertInput, fault: Fault): AlertWords {
  const { host, alert } = input;
  const { badge, before, after, schedule } = FAULTS[fault];
  const message = checkSentence(alert.facts.message, input.timeZone);
  const fix = checkSentence(alert.facts.fix, input.timeZone);
  const lead = FAULTS[fault].lead(clientConsequence(input.monitor.port), message);
  return {
    badge,
    preheader: [message, fix].filter((part) => part !== '').join(' ') || lead,
    heading: { before, host, after },
    paragraphs: [
      ...(fix === ''
        ? []
        : [`${fix} ${fault === 'renewal_fails' ? 'The next forecast' : 'The next check'} will pick it up.`]),
      [message, lead].filter((part) => part !== '').join(' '),
      ...lastSeenParagraph(input),
    ],
    facts: [
      ...hostRows(input),
      ...waitingRows(input),
      ...certificateRows('Certificate', alert.facts.certificate, input),
      ...certificateRows('Renewed', alert.facts.successor, input),
      ...issuerRows(input),
      ...renewalRows(input),
      { label: 'First seen', value: formatInstant(alert.facts.startedAt, input.timeZone) },
      ...lastChecked(input),
    ],
    schedule,
  };
}

/** Returns the words about a certificate that was replaced before its renewal was due. */
export function changedWords(input: DomainAlertInput): AlertWords {
  const { host, alert, timeZone } = input;
  const { certificate, successor, startedAt } = alert.facts;
  return {
    badge: { tone: 'soon', text: 'Changed' },
    preheader: `Seen ${formatInstant(startedAt, timeZone)}, well before the old certificate was due for renewal.`,
    heading: { before: '', host, after: ' serves a different certificate.' },
    paragraphs: [
      'If you, or somebody who looks after this host, replaced the certificate, there is nothing to do. The old one was not ' +
        'due for renewal.',
      'If nobody knows about it, find out who installed it: whoever can do that may be able to read what visitors send. ' +
        'Check the server’s account and DNS first, then the public logs of issued certificates (Certificate Transparency).',
    ],
    facts: [
      ...hostRows(input),
      ...certificateRows('Before', certificate, input),
      ...certificateRows('Now', successor, input),
      { label: 'First seen', value: formatInstant(startedAt, timeZone) },
      ...lastChecked(input),
    ],
    schedule: 'We send this once for each unexpected certificate.',
  };
}

function certificateRows(
  label: string,
  certificate: AlertCertificate | null,
  { timeZone }: DomainAlertInput,
): DrawnMail['facts'] {
  if (certificate === null) return [];
  const until = `valid until ${longDate(certificate.notAfter, timeZone)}`;
  const name = oneLine(certificate.name);
  return [
    { label, value: name === '' ? until : `${name}, ${until}` },
    { label: '', value: shortFingerprint(certificate.fingerprint), mono: true },
  ];
}

/** Longest DNS record in a mail. Only a record with very long names exceeds it. */
const MAX_RECORD = 1_000;

function renewalRows({ alert: { facts }, timeZone }: DomainAlertInput): DrawnMail['facts'] {
  const { renewal } = facts;
  if (renewal === undefined) return [];
  const { expectedAt, zoneRecord } = renewal;
  return [
    ...(zoneRecord === null
      ? []
      : [{ label: 'DNS record', value: truncatedLine(zoneRecord, MAX_RECORD), mono: true }]),
    { label: 'Expected renewal', value: longDate(expectedAt, timeZone) },
  ];
}

function issuerRows(input: DomainAlertInput): DrawnMail['facts'] {
  const name = oneLine(alertCertificateFacts(input)?.issuer ?? '');
  return name === '' ? [] : [{ label: 'Issuer', value: name }];
}

/** Returns the first 16 digits of a fingerprint, enough to compare two certificates by eye. */
function shortFingerprint(fingerprint: string): string {
  return `SHA-256 ${fingerprint.slice(0, 16)}${fingerprint.length > 16 ? '…' : ''}`;
}

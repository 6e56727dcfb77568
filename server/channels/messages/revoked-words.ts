import { reasonWords, revocationReason, revocationSource } from '../../core/findings/revocation.ts';
import { longDate } from '../../core/long-date.ts';
import { oneLine } from '../../core/one-line.ts';
import {
  alertCertificateFacts,
  type AlertWords,
  certificateOf,
  type DomainAlertInput,
} from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { hostRows, lastSeenParagraph, weekdayDate } from './wording.ts';
import { clockTime, formatInstant } from '../../../contract/time-zone.ts';

/** Returns the words about a revoked certificate. */
export function revokedWords(input: DomainAlertInput): AlertWords {
  const { host, revoked, timeZone } = input;
  const isLeaf = certificateOf(input).role === 'leaf';
  const at = revoked?.revokedAt ?? null;
  return {
    badge: { tone: 'revoked', text: 'Revoked' },
    preheader:
      at === null
        ? 'Clients that check revocation refuse to connect.'
        : `Revoked ${weekdayDate(at, timeZone).replace(',', '')} at ${clockTime(at, timeZone)}. Clients that check revocation refuse to connect.`,
    heading: {
      before: isLeaf ? 'The certificate for ' : 'An intermediate certificate of ',
      host,
      after: at === null ? ' was revoked.' : ` was revoked on ${weekdayDate(at, timeZone)}.`,
    },
    paragraphs: [...paragraphsOf(input), ...lastSeenParagraph(input)],
    facts: factsOf(input),
    schedule: 'We send this once for each revoked certificate.',
  };
}

function paragraphsOf(input: DomainAlertInput): string[] {
  const { name, role } = certificateOf(input);
  const reason = revocationReason(input.revoked?.reason ?? null);
  const why =
    reason === null ? 'Its authority gave no reason.' : `Its authority gave this reason: ${reason}.`;
  const what =
    role === 'leaf'
      ? 'Create a new key, have a certificate issued for it, install it and reload the server.'
      : 'Have the host’s certificate reissued, and install it with the chain that comes with it. ' +
        `“${oneLine(name)}” is between that certificate and the authority that clients trust.`;
  return [
    `${what} The next check will pick it up.`,
    `${why} Clients that check revocation refuse to connect, whatever the expiry date. If you did not request the ` +
      'revocation, your authority can tell you more.',
  ];
}

function factsOf(input: DomainAlertInput): DrawnMail['facts'] {
  const { revoked, timeZone } = input;
  const { name, notAfter, role } = certificateOf(input);
  const own = alertCertificateFacts(input);
  const issuer = oneLine(own?.issuer ?? '');
  const reason = revoked?.reason ?? null;
  const source =
    revoked && `${revocationSource(revoked.source)}, read ${formatInstant(revoked.at, timeZone)}`;
  return [
    ...hostRows(input),
    ...(role === 'intermediate' ? [{ label: 'Revoked', value: oneLine(name) }] : []),
    ...(issuer === '' ? [] : [{ label: 'Issuer', value: issuer }]),
    ...(own === null ? [] : [{ label: 'Serial number', value: own.serialNumber, mono: true }]),
    ...(revoked?.revokedAt == null
      ? []
      : [{ label: 'Revoked on', value: formatInstant(revoked.revokedAt, timeZone) }]),
    ...(reason === null ? [] : [{ label: 'Reason', value: reasonWords(oneLine(reason)) }]),
    ...(source === null ? [] : [{ label: 'Source', value: source }]),
    { label: 'Valid until', value: longDate(notAfter, timeZone) },
  ];
}

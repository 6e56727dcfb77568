import {
  displayName,
  longDate,
  oneLine,
  revocationReason,
  revocationSource,
  type RevokedCertificate,
} from '../../core/index.ts';
import type { AlertMessageInput } from './alert-message.ts';
import { type DrawnMail, mailLayout } from './mail-layout.ts';
import { plainText } from './plain-text.ts';
import type { RenderedMessage } from './rendered-message.ts';
import { clockTime, instant, knownZone, SEEN_EARLIER_MS, weekdayDate } from './wording.ts';

type Told = Pick<RevokedCertificate, 'source' | 'at' | 'revokedAt' | 'reason'>;

/** The mail about a certificate that was revoked. `revoked`: who says so, when and why; null where that is not known any more. */
export function revokedMessage(given: AlertMessageInput & { revoked: Told | null }): RenderedMessage {
  const input = { ...given, timeZone: knownZone(given.timeZone) };
  const { alert, monitor, revoked, timeZone } = input;
  const host = displayName(monitor);
  const isLeaf = alert.role === 'leaf';
  const subject = isLeaf
    ? `${host}'s certificate was revoked`
    : `${host}: an intermediate certificate was revoked`;
  const at = revoked?.revokedAt ?? null;
  const preheader =
    at === null
      ? 'Clients that ask its authority refuse to connect.'
      : `Revoked ${weekdayDate(at, timeZone).replace(',', '')} at ${clockTime(at, timeZone)}. Clients that ask refuse to connect.`;
  const url = new URL('/dashboard', input.publicUrl);
  url.searchParams.set('domain', monitor.id);
  const content: DrawnMail = {
    title: subject,
    preheader,
    productName: input.productName,
    badge: { tone: 'revoked', text: 'Revoked' },
    heading: {
      before: isLeaf ? 'The certificate for ' : 'An intermediate certificate of ',
      host,
      after: at === null ? ' was revoked.' : ` was revoked on ${weekdayDate(at, timeZone)}.`,
    },
    paragraphs: paragraphsOf(input),
    facts: factsOf(input, host),
    button: { label: 'Show certificate details', url: url.href },
    footer:
      `You get this because you track this host in ${input.productName}. ` +
      'It is told once for each certificate that is revoked.',
  };
  return { subject, preheader, html: mailLayout(content), text: plainText(content) };
}

type Zoned = Omit<Parameters<typeof revokedMessage>[0], 'timeZone'> & { timeZone: string };

function paragraphsOf({ alert, alertedAt, revoked, timeZone }: Zoned): string[] {
  const reason = revocationReason(revoked?.reason ?? null);
  const why = reason === null ? 'Its authority gave no reason.' : `Its authority says why: ${reason}.`;
  const what =
    alert.role === 'leaf'
      ? 'Have a certificate issued for a new key, install it and reload the server; the next check will pick it up.'
      : `“${oneLine(alert.name)}” stands between the host’s certificate and the authority that clients trust. Have the ` +
        'certificate issued anew, and install it with the chain that comes with it; the next check will pick it up.';
  return [
    `${why} Clients that ask refuse to connect from then on, however long the certificate would have been valid.`,
    `${what} If you did not ask for this, your authority can tell more.`,
    ...(alertedAt - alert.asOf > SEEN_EARLIER_MS
      ? [
          `The host could not be reached at the last check. This is as of ${instant(alert.asOf, timeZone)}, ` +
            'when the certificate was last seen.',
        ]
      : []),
  ];
}

function factsOf({ alert, certificate, revoked, timeZone }: Zoned, host: string): DrawnMail['facts'] {
  const own = certificate?.fingerprint === alert.fingerprint ? certificate : null;
  const issuer = oneLine(own?.issuer ?? '');
  const reason = revoked?.reason ?? null;
  return [
    { label: 'Host', value: host, mono: true },
    ...(alert.role === 'intermediate' ? [{ label: 'Revoked', value: oneLine(alert.name) }] : []),
    ...(issuer === '' ? [] : [{ label: 'Issuer', value: issuer }]),
    ...(own === null ? [] : [{ label: 'Serial number', value: own.serialNumber, mono: true }]),
    ...(revoked?.revokedAt == null
      ? []
      : [{ label: 'Revoked on', value: instant(revoked.revokedAt, timeZone) }]),
    ...(reason === null ? [] : [{ label: 'Reason', value: oneLine(reason) }]),
    ...(revoked === null
      ? []
      : [
          {
            label: 'Source',
            value: `${revocationSource(revoked.source)}, read ${instant(revoked.at, timeZone)}`,
          },
        ]),
    { label: 'Valid until', value: longDate(alert.notAfter, timeZone) },
  ];
}

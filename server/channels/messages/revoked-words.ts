import { longDate, oneLine, revocationReason, revocationSource } from '../../core/index.ts';
import { type AboutMonitor, certificateOf, issuedCertificate, type Words } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { clockTime, instant, lastSeen, weekdayDate } from './wording.ts';

/** Returns the words about a revoked certificate. */
export function revokedWords(input: AboutMonitor): Words {
  const { host, revoked, timeZone } = input;
  const isLeaf = certificateOf(input).role === 'leaf';
  const at = revoked?.revokedAt ?? null;
  return {
    badge: { tone: 'revoked', text: 'Revoked' },
    preheader:
      at === null
        ? 'Clients that ask its authority refuse to connect.'
        : `Revoked ${weekdayDate(at, timeZone).replace(',', '')} at ${clockTime(at, timeZone)}. Clients that ask refuse to connect.`,
    heading: {
      before: isLeaf ? 'The certificate for ' : 'An intermediate certificate of ',
      host,
      after: at === null ? ' was revoked.' : ` was revoked on ${weekdayDate(at, timeZone)}.`,
    },
    paragraphs: [...paragraphsOf(input), ...lastSeen(input)],
    facts: factsOf(input),
    schedule: 'It is told once for each certificate that is revoked.',
  };
}

function paragraphsOf(input: AboutMonitor): string[] {
  const { name, role } = certificateOf(input);
  const reason = revocationReason(input.revoked?.reason ?? null);
  const why = reason === null ? 'Its authority gave no reason.' : `Its authority says why: ${reason}.`;
  const what =
    role === 'leaf'
      ? 'Have a certificate issued for a new key, install it and reload the server; the next check will pick it up.'
      : `“${oneLine(name)}” stands between the host’s certificate and the authority that clients trust. Have the ` +
        'certificate issued anew, and install it with the chain that comes with it; the next check will pick it up.';
  return [
    `${why} Clients that ask refuse to connect from then on, however long the certificate would have been valid.`,
    `${what} If you did not ask for this, your authority can tell more.`,
  ];
}

function factsOf(input: AboutMonitor): DrawnMail['facts'] {
  const { host, revoked, timeZone } = input;
  const { name, notAfter, role } = certificateOf(input);
  const own = issuedCertificate(input);
  const issuer = oneLine(own?.issuer ?? '');
  const reason = revoked?.reason ?? null;
  const source = revoked && `${revocationSource(revoked.source)}, read ${instant(revoked.at, timeZone)}`;
  return [
    { label: 'Host', value: host, mono: true },
    ...(role === 'intermediate' ? [{ label: 'Revoked', value: oneLine(name) }] : []),
    ...(issuer === '' ? [] : [{ label: 'Issuer', value: issuer }]),
    ...(own === null ? [] : [{ label: 'Serial number', value: own.serialNumber, mono: true }]),
    ...(revoked?.revokedAt == null
      ? []
      : [{ label: 'Revoked on', value: instant(revoked.revokedAt, timeZone) }]),
    ...(reason === null ? [] : [{ label: 'Reason', value: oneLine(reason) }]),
    ...(source === null ? [] : [{ label: 'Source', value: source }]),
    { label: 'Valid until', value: longDate(notAfter, timeZone) },
  ];
}

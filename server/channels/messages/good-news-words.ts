import { longDate, oneLine } from '../../core/index.ts';
import type { AboutMonitor, Words } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { instant, lastChecked, weekdayDate } from './wording.ts';

interface GoodNews {
  badge: string;
  before: string;
  after: string;
  sentence: string;
}

/** Returns the words about a certificate problem that is over. */
export function goodNewsWords(input: AboutMonitor): Words {
  const { host, alert, timeZone } = input;
  const { successor, endedAt } = alert.facts;
  const { badge, before, after, sentence } = newsOf(input);
  const until = successor && weekdayDate(successor.notAfter, timeZone);
  const end = endedAt ?? alert.facts.asOf;
  return {
    badge: { tone: 'ok', text: badge },
    preheader: until === null ? sentence : `${sentence} The certificate is valid until ${until}.`,
    heading: { before, host, after },
    paragraphs: [
      `${sentence} ${until === null ? '' : `The certificate it shows now is valid until ${until}. `}There is nothing left to do.`,
    ],
    facts: factsOf(input, end),
    schedule: 'Good news comes once, where you were told of the trouble.',
    ...(successor !== null && {
      bar: {
        notBefore: successor.notBefore,
        notAfter: successor.notAfter,
        now: input.now,
        tone: 'ok',
        from: `Issued ${longDate(successor.notBefore, timeZone)}`,
        to: longDate(successor.notAfter, timeZone),
      },
    }),
  };
}

function newsOf({ alert }: AboutMonitor): GoodNews {
  const { certificate, successor } = alert.facts;
  switch (alert.kind) {
    case 'expiry': {
      if (certificate?.role === 'intermediate')
        return {
          badge: 'Chain renewed',
          before: 'The chain of ',
          after: ' was renewed.',
          sentence: `All is well: “${oneLine(certificate.name)}” does not limit this host any more.`,
        };
      const lastsLonger = successor === null || successor.notAfter > (certificate?.notAfter ?? 0);
      return lastsLonger
        ? {
            badge: 'Renewed',
            before: 'The certificate for ',
            after: ' was renewed.',
            sentence: 'All is well: the one that was about to end, or had ended, is not served any more.',
          }
        : {
            badge: 'Replaced',
            before: 'The certificate for ',
            after: ' was replaced.',
            sentence: 'The one that you were warned of is not served any more.',
          };
    }
    case 'revoked':
      return {
        badge: 'Replaced',
        before: 'The revoked certificate of ',
        after: ' was replaced.',
        sentence: 'All is well: it is not served any more.',
      };
    case 'wrong_name':
      return {
        badge: 'Name fixed',
        before: 'The certificate at ',
        after: ' names this host again.',
        sentence: 'All is well: visitors get what they came for.',
      };
    case 'chain_broken':
      return {
        badge: 'Trusted again',
        before: 'Clients trust the certificate of ',
        after: ' again.',
        sentence: 'All is well: the chain is whole.',
      };
    default:
      return {
        badge: 'Replaced',
        before: 'The certificate of ',
        after: ' was replaced.',
        sentence: 'All is well: the one that its authority wanted replaced is not served any more.',
      };
  }
}

function factsOf(input: AboutMonitor, end: number): DrawnMail['facts'] {
  const { host, alert, timeZone } = input;
  const { successor, startedAt } = alert.facts;
  const name = oneLine(successor?.name ?? '');
  return [
    { label: 'Host', value: host, mono: true },
    ...(name === '' || name === host ? [] : [{ label: 'Certificate', value: name }]),
    ...(successor === null ? [] : [{ label: 'Expires on', value: instant(successor.notAfter, timeZone) }]),
    { label: 'Began', value: instant(startedAt, timeZone) },
    { label: 'Over since', value: instant(end, timeZone) },
    ...lastChecked(input),
  ];
}

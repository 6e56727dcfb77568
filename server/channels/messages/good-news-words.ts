import { longDate } from '../../core/long-date.ts';
import { oneLine } from '../../core/one-line.ts';
import type { AlertFacts } from '../../core/alerting/alert.ts';
import type { AlertWords, DomainAlertInput } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { hostRows, lastChecked, weekdayDate } from './wording.ts';
import { formatInstant } from '../../../contract/time-zone.ts';

interface GoodNews {
  badge: string;
  before: string;
  after: string;
  sentence: string;
}

/** Returns the words about a certificate problem that is over. */
export function goodNewsWords(input: DomainAlertInput): AlertWords {
  const { host, alert, timeZone } = input;
  const { successor, endedAt } = alert.facts;
  const { badge, before, after, sentence } = newsOf(input);
  const until = successor && weekdayDate(successor.notAfter, timeZone);
  const isSame = successor?.fingerprint === alert.facts.certificate?.fingerprint;
  const end = endedAt ?? alert.facts.asOf;
  return {
    badge: { tone: 'ok', text: badge },
    preheader: until === null ? sentence : `${sentence} The certificate is valid until ${until}.`,
    heading: { before, host, after },
    paragraphs: [
      `There is nothing to do. ${sentence}${until === null ? '' : ` The ${isSame ? '' : 'new '}certificate is valid until ${until}.`}`,
    ],
    facts: factsOf(input, end),
    schedule: 'We send this once, to the channels that got the alert.',
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

function newsOf({ alert, group }: DomainAlertInput): GoodNews {
  const several = (group?.domains.length ?? 1) > 1;
  const { certificate, successor } = alert.facts;
  switch (alert.kind) {
    case 'expiry': {
      if (certificate?.role === 'intermediate')
        return {
          badge: 'Chain renewed',
          before: 'The chain of ',
          after: ' was renewed.',
          sentence: `“${oneLine(certificate.name)}” no longer limits this host.`,
        };
      const lastsLonger = successor === null || successor.notAfter > (certificate?.notAfter ?? 0);
      return lastsLonger
        ? {
            badge: 'Renewed',
            before: 'The certificate for ',
            after: ' was renewed.',
            sentence: several
              ? 'No host serves the old certificate any more.'
              : 'The host no longer serves the old certificate.',
          }
        : {
            badge: 'Replaced',
            before: 'The certificate for ',
            after: ' was replaced.',
            sentence: several
              ? 'No host serves the certificate that we warned about any more.'
              : 'The host no longer serves the certificate that we warned about.',
          };
    }
    case 'not_deployed':
      return {
        badge: 'Renewed everywhere',
        before: 'The renewed certificate for ',
        after: ' is served.',
        sentence: several
          ? 'All hosts serve the renewed certificate.'
          : 'The host serves the renewed certificate.',
      };
    case 'refused_from':
      return acceptedNews(alert.facts, several);
    case 'renewal_fails':
      return renewableNews(alert.facts, several);
    case 'registration':
      return {
        badge: 'Renewed',
        before: 'The registration of ',
        after: ' was renewed.',
        sentence: 'The registry shows a later end.',
      };
    case 'revoked':
      return {
        badge: 'Replaced',
        before: 'The revoked certificate of ',
        after: ' was replaced.',
        sentence: several
          ? 'No host serves the revoked certificate any more.'
          : 'The host no longer serves the revoked certificate.',
      };
    case 'wrong_name':
      return {
        badge: 'Name fixed',
        before: 'The certificate at ',
        after: ' covers this host again.',
        sentence: 'Visitors get a certificate for this host.',
      };
    case 'chain_broken':
      return {
        badge: 'Trusted again',
        before: 'Clients trust the certificate of ',
        after: ' again.',
        sentence: 'The certificate chain is complete and valid.',
      };
    default:
      return certificate !== null && successor?.fingerprint === certificate.fingerprint
        ? {
            badge: 'Replacement not needed',
            before: 'The authority no longer wants the certificate of ',
            after: ' replaced.',
            sentence: 'The host may keep the certificate that it serves.',
          }
        : {
            badge: 'Replaced',
            before: 'The certificate of ',
            after: ' was replaced.',
            sentence: 'The host no longer serves the certificate that its authority wanted replaced.',
          };
  }
}

function acceptedNews({ certificate, successor }: AlertFacts, several: boolean): GoodNews {
  return certificate !== null && successor?.fingerprint === certificate.fingerprint
    ? {
        badge: 'No refusal ahead',
        before: 'The certificate of ',
        after: ' will not be refused any more.',
        sentence: 'The host may keep the certificate that it serves.',
      }
    : {
        badge: 'Replaced',
        before: 'The certificate of ',
        after: ' was replaced.',
        sentence: several
          ? 'No host serves the certificate that clients will refuse any more.'
          : 'The host no longer serves the certificate that clients will refuse.',
      };
}

function renewableNews({ certificate, successor, renewal }: AlertFacts, several: boolean): GoodNews {
  if (renewal === undefined)
    return {
      badge: 'Forecasts ended',
      before: 'Renewals of the certificate of ',
      after: ' are not forecast any more.',
      sentence:
        'The operator of this server turned forecasts off. We do not know whether the problem is solved.',
    };
  return certificate !== null && successor?.fingerprint === certificate.fingerprint
    ? {
        badge: 'Cause removed',
        before: 'A problem with the next renewal of the certificate of ',
        after: ' is solved.',
        sentence: 'Our forecasts no longer find the cause that we warned about.',
      }
    : {
        badge: 'Renewed',
        before: 'The certificate for ',
        after: ' was renewed.',
        sentence: several
          ? 'No host serves the old certificate any more.'
          : 'The host no longer serves the old certificate.',
      };
}

function factsOf(input: DomainAlertInput, end: number): DrawnMail['facts'] {
  const { host, alert, timeZone } = input;
  const { successor, registration, startedAt } = alert.facts;
  const name = oneLine(successor?.name ?? '');
  return [
    ...hostRows(input),
    ...(name === '' || name === host ? [] : [{ label: 'Certificate', value: name }]),
    ...(successor === null
      ? []
      : [{ label: 'Expires on', value: formatInstant(successor.notAfter, timeZone) }]),
    ...(registration === undefined
      ? []
      : [{ label: 'Ends on', value: formatInstant(registration.expiresAt, timeZone) }]),
    { label: 'Started', value: formatInstant(startedAt, timeZone) },
    { label: 'Resolved', value: formatInstant(end, timeZone) },
    ...lastChecked(input),
  ];
}

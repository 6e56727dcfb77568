import type { Concern, Digest, TruncatedList } from '../../core/account-mail.ts';
import type { Problem } from '../../core/alerting/alert.ts';
import { displayName } from '../../core/endpoint.ts';
import { causeInLine } from '../../core/forecast/forecast-words.ts';
import { longDate } from '../../core/long-date.ts';
import type { Targeted } from '../../core/target.ts';
import type { AccountWords, InTimeZone } from './account-mail.ts';
import type { DrawnMail } from './mail-layout.ts';
import { unsubscribeHeaders, unsubscribeLink } from './rendered-message.ts';
import { weekdayDate } from './wording.ts';
import { formatInstant } from '../../../contract/time-zone.ts';
import { durationInTwoUnits } from '../../../contract/state/schedule.ts';
import { inSentence, STATE_NAMES } from '../../../contract/state/state-words.ts';
import { count, grouped } from '../../../contract/words.ts';

type DrawnList = NonNullable<DrawnMail['lists']>[number];

/**
 * Returns the digest of the last week and the next 30 days. It contains dates and no remaining times, because people may read it
 * days later.
 */
export function digestMessage(
  digest: Digest,
  { productName, publicUrl, timeZone, unsubscribeTokens = { page: '', oneClick: '' } }: InTimeZone,
): AccountWords {
  const heading = headingOf(digest);
  const isCalm = sizeOf(digest.attention) === 0;
  return {
    subject: heading,
    preheader: preheaderOf(digest),
    badge: isCalm ? { tone: 'ok', text: 'Your week' } : { tone: 'soon', text: 'Needs attention' },
    heading: `${heading}.`,
    paragraphs: [
      firstLineOf(digest, timeZone),
      `Your week from ${longDate(digest.from, timeZone)} to ${longDate(digest.until, timeZone)} (${timeZone.replaceAll('_', ' ')}), for ` +
        `${digest.watched === 1 ? 'the domain' : `the ${count(digest.watched, 'domain')}`} that you watch.`,
    ],
    lists: listsOf(digest, timeZone),
    button: { label: 'Show your domains', url: new URL('/dashboard', publicUrl).href },
    footer: `You get this every Monday because the weekly digest of ${productName} is on.`,
    links: [
      { label: 'Change alerts', url: new URL('/alerts', publicUrl).href },
      { label: 'Stop the digest', url: unsubscribeLink(unsubscribeTokens, publicUrl) },
    ],
    headers: unsubscribeHeaders(unsubscribeTokens, publicUrl),
  };
}

function sizeOf({ first, more }: TruncatedList<unknown>): number {
  return first.length + more;
}

/** Returns the heading, in the wording of the dashboard's headline. */
function headingOf({ attention, watched }: Digest): string {
  const number = sizeOf(attention);
  if (number === 0)
    return watched === 1 ? 'Your certificate is fine' : `All ${grouped(watched)} certificates are fine`;
  const isOffline = attention.first.some(({ concern }) => concern === 'down' || concern === 'unreachable');
  const noun = `${isOffline ? 'domain' : 'certificate'}${number === 1 ? '' : 's'}`;
  return `${grouped(number)} ${noun} ${number === 1 ? 'needs' : 'need'} attention this week`;
}

/** Returns the first line, which says what to do first. */
function firstLineOf({ attention, failing, until }: Digest, timeZone: string): string {
  const [worst] = attention.first;
  const [renewal] = failing.first;
  if (worst === undefined)
    return renewal === undefined
      ? 'There is nothing to do.'
      : `The next renewal of ${displayName(renewal)} will fail${causeInLine(renewal.line)}.`;
  const name = displayName(worst);
  switch (worst.concern) {
    case 'expiry':
      return `Renew the certificate of ${name} first: it ${expiryText(worst, until, timeZone)}.`;
    case 'revoked':
      return `Replace the certificate of ${name} first: it is revoked.`;
    case 'untrusted':
      return `Fix the certificate of ${name} first: clients do not trust it.`;
    case 'down':
      return `Look at ${name} first: it is down.`;
    default:
      return `Look at ${name} first: ${inSentence(STATE_NAMES.unreachable)}.`;
  }
}

/** Returns 'expires on Friday, 27 November', or 'expired on …' for a past date. */
function expiryText({ notAfter }: { notAfter: number | null }, until: number, timeZone: string): string {
  if (notAfter === null) return CONCERNS.expiry;
  return `${notAfter <= until ? 'expired' : 'expires'} on ${weekdayDate(notAfter, timeZone)}`;
}

function preheaderOf({ expiring, failing, renewed, incidents }: Digest): string {
  const parts = [
    ...(sizeOf(expiring) > 0
      ? [`${count(sizeOf(expiring), 'certificate')} to renew in the next 30 days`]
      : []),
    ...(sizeOf(failing) > 0 ? [`${count(sizeOf(failing), 'renewal')} that will fail`] : []),
    ...(sizeOf(renewed) > 0 ? [`${grouped(sizeOf(renewed))} renewed`] : []),
    ...(sizeOf(incidents) > 0 ? [`${count(sizeOf(incidents), 'incident')} last week`] : []),
  ];
  return parts.length === 0
    ? 'No incidents last week, and no renewals in the next 30 days.'
    : `${parts.join(', ')}.`;
}

function listsOf(digest: Digest, timeZone: string): DrawnList[] {
  const { until } = digest;
  return [
    drawn('Needs attention', digest.attention, (one) =>
      one.concern === 'expiry' ? expiryText(one, until, timeZone) : CONCERNS[one.concern],
    ),
    drawn(
      'To renew in the next 30 days',
      digest.expiring,
      ({ notAfter }) => `expires on ${longDate(notAfter, timeZone)}`,
    ),
    drawn('Renewals that will fail', digest.failing, ({ line, expectedAt }) => {
      const cause = causeInLine(line).replace(/^: /, '');
      return `${cause === '' ? '' : `${cause}; `}expected on ${longDate(expectedAt, timeZone)}`;
    }),
    drawn(
      'Renewed last week',
      digest.renewed,
      ({ notAfter }) => `valid until ${longDate(notAfter, timeZone)}`,
    ),
    drawn('Incidents last week', digest.incidents, ({ problem, startedAt, endedAt }) => {
      const since = `since ${formatInstant(startedAt, timeZone)}`;
      if (WITHOUT_DURATION.includes(problem)) return `${PROBLEMS[problem]}, ${since}`;
      return endedAt === null
        ? `still ${PROBLEMS[problem]}, ${since}`
        : `${PROBLEMS[problem]} for ${durationInTwoUnits(endedAt - startedAt)}, ${since}`;
    }),
    drawn('Lowest uptime last week', { first: digest.uptime, more: 0 }, ({ percent }) => `${percent}%`),
  ].filter(({ items }) => items.length > 0);
}

function drawn<T>(
  heading: string,
  { first, more }: TruncatedList<T>,
  detail: (one: Targeted & T) => string,
): DrawnList {
  const items = first.map((one) => ({ name: displayName(one), detail: detail(one) }));
  return { heading, items, more };
}

const CONCERNS: Record<Concern, string> = {
  expiry: 'expires this week',
  revoked: 'its certificate is revoked',
  untrusted: 'clients do not trust its certificate',
  down: 'is down',
  unreachable: inSentence(STATE_NAMES.unreachable),
};

/** Problems that turn nobody away yet, so that their duration says nothing. */
const WITHOUT_DURATION: readonly Problem[] = [
  'changed',
  'replacement_wanted',
  'registration',
  'refused_from',
  'renewal_fails',
];

const PROBLEMS: Record<Problem, string> = {
  expiry: 'expired',
  revoked: 'certificate revoked',
  wrong_name: 'wrong name',
  chain_broken: 'chain broken',
  changed: 'certificate changed unexpectedly',
  replacement_wanted: 'replacement wanted by the authority',
  not_deployed: 'old certificate still served',
  refused_from: 'certificate refused soon',
  renewal_fails: 'next renewal will fail',
  registration: 'registration ending',
  down: 'down',
};

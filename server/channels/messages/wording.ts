import { alertSteps, type ChosenStep } from '../../core/alert-steps.ts';
import { displayName } from '../../core/endpoint.ts';
import { longDate } from '../../core/long-date.ts';
import { truncatedLine } from '../../core/one-line.ts';
import type { DomainAlertInput } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, replaceInstants } from '../../../contract/durations.ts';
import { formatInstant } from '../../../contract/time-zone.ts';
import { count } from '../../../contract/words.ts';

/**
 * If a certificate was last seen longer ago than this before the alert (ms), an earlier check saw it: a check takes less than two
 * minutes.
 */
const SEEN_EARLIER_MS = 2 * MINUTE_MS;
const SHORT_LIVED_MS = 10 * DAY_MS;

/** Formats a day: "Sunday, 22 November 2026". */
export function weekdayDate(at: number, timeZone: string): string {
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long' }).format(at);
  return `${weekday}, ${longDate(at, timeZone)}`;
}

const MAX_SENTENCE_LENGTH = 600;

/**
 * Returns a sentence of the check in the reader's time zone, on one line of at most 600 characters, because it contains text from
 * certificates. Empty if there is none.
 */
export function checkSentence(sentence: string | null, timeZone: string): string {
  const line = truncatedLine(sentence ?? '', MAX_SENTENCE_LENGTH);
  return replaceInstants(line, (at) => formatInstant(at, timeZone));
}

const HTTPS_PORT = 443;

/** Returns what happens to clients, such as "visitors see a security warning instead of the site" for port 443. */
export function clientConsequence(port: number): string {
  return port === HTTPS_PORT
    ? 'visitors see a security warning instead of the site'
    : 'clients refuse to connect';
}

/**
 * Returns a paragraph that says when the certificate was last seen, if the host was unreachable when the alert was decided; else
 * an empty list.
 */
export function lastSeenParagraph({ alert, alertedAt, timeZone }: DomainAlertInput): string[] {
  if (alertedAt - alert.facts.asOf <= SEEN_EARLIER_MS) return [];
  return [
    `We could not reach the host at the last check. This describes the certificate as we last saw it, on ` +
      `${formatInstant(alert.facts.asOf, timeZone)}.`,
  ];
}

const MAX_NAMED = 10;
/** Maximum total length of the names, so that chats show them in full. */
const MAX_NAMES_LENGTH = 250;

/** Returns the host of an alert or, for several hosts, the first ten and the number that have changed. */
export function hostRows({ alert, group, monitor }: DomainAlertInput): DrawnMail['facts'] {
  const names = (group?.domains ?? [monitor]).map(displayName);
  const rows =
    names.length === 1
      ? [{ label: 'Host', value: names[0] ?? '', mono: true }]
      : namedRows('Hosts', shortList(names));
  const all = names.length + (group?.fixedCount ?? 0);
  return all === names.length
    ? rows
    : [
        ...rows,
        {
          label: 'Progress',
          value: `${group?.fixedCount} of ${all} hosts ${alert.kind === 'not_deployed' ? 'serve the renewed certificate' : 'no longer serve this certificate'}`,
        },
      ];
}

/**
 * Returns the addresses that serve an older certificate than the renewed one. If there are several hosts, each address has its
 * host.
 */
export function waitingRows({ waiting = [], group }: DomainAlertInput): DrawnMail['facts'] {
  const isOneHost = (group?.domains.length ?? 1) === 1;
  const named = waiting.flatMap((domain) =>
    domain.addresses.map((address) => (isOneHost ? address : `${address} (${displayName(domain)})`)),
  );
  if (named.length === 0) return [];
  // We only know the addresses of the first ten hosts.
  const list =
    (group?.domains.length ?? 1) > MAX_NAMED
      ? { named: named.slice(0, MAX_NAMED), rest: 'and others' }
      : shortList(named);
  return namedRows('Old certificate at', list);
}

interface ShortList {
  named: string[];
  /** The words after the names, such as 'and 30 more'; null if all names are listed. */
  rest: string | null;
}

function shortList(names: readonly string[]): ShortList {
  const named: string[] = [];
  for (const name of names.slice(0, MAX_NAMED))
    if (named.length === 0 || [...named, name].join(', ').length <= MAX_NAMES_LENGTH) named.push(name);
    else break;
  const more = names.length - named.length;
  return { named, rest: more === 0 ? null : `and ${more} more` };
}

/** Returns the names in monospace, and the words in `rest` below them in the font of sentences. */
function namedRows(label: string, { named, rest }: ShortList): DrawnMail['facts'] {
  const names = { label, value: named.join(', '), mono: true };
  return rest === null ? [names] : [names, { label: '', value: rest }];
}

export function lastChecked({ monitor, group, timeZone }: DomainAlertInput): DrawnMail['facts'] {
  const at = group === null || group.domains.length === 1 ? monitor.lastCheckedAt : null;
  return at === null ? [] : [{ label: 'Last checked', value: formatInstant(at, timeZone) }];
}

/**
 * Returns when alerts about a certificate are sent: "22, 14, 7, 3 and 1 days before expiry, and at expiry".
 * Counts in hours below one day, and always if the lifetime is shorter than ten days.
 */
export function alertTimes(
  certificate: { notBefore: number; notAfter: number },
  steps: readonly ChosenStep[] | null,
): string {
  const inHours = certificate.notAfter - certificate.notBefore < SHORT_LIVED_MS;
  const days: number[] = [];
  const hours: number[] = [];
  for (const { at } of alertSteps(certificate, steps)) {
    const left = certificate.notAfter - at;
    if (!inHours && left >= DAY_MS) days.push(Math.floor(left / DAY_MS));
    else if (left >= HOUR_MS) hours.push(Math.floor(left / HOUR_MS));
  }
  const parts = [
    ...(days.length > 0 ? [listed(days, 'day')] : []),
    ...(hours.length > 0 ? [listed(hours, 'hour')] : []),
  ];
  return parts.length === 0 ? 'at expiry' : `${parts.join(' and ')} before expiry, and at expiry`;
}

function listed(numbers: readonly number[], unit: string): string {
  const distinct = [...new Set(numbers)];
  const last = distinct.at(-1) ?? 0;
  if (distinct.length === 1) return count(last, unit);
  return `${distinct.slice(0, -1).join(', ')} and ${last} ${unit}s`;
}

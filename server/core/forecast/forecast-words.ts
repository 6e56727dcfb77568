import { longInstant } from '../long-date.ts';
import type { Forecast, ForecastCheck, ForecastCheckCode } from './forecast.ts';
import {
  CAA_WORDS,
  DNS_CHALLENGE_WORDS,
  DNSSEC_WORDS,
  NAMES_WORDS,
  PERSIST_WORDS,
} from './words/dns-words.ts';
import {
  HTTP_WORDS,
  LIFETIME_WORDS,
  OVERDUE_WORDS,
  REGISTRATION_WORDS,
  SCHEDULE_WORDS,
  TLS_ALPN_WORDS,
} from './words/other-words.ts';
import { CheckReader, type ReasonWords, type WordsByReason } from './words/reader.ts';

/** A check in words. The words quote DNS zones, cut to one line: escape them. */
export interface ForecastCheckWords {
  /** A few words: "CAA". */
  title: string;
  message: string;
  evidence: { label: string; value: string }[];
  /** What to do; null if there is nothing to do. */
  fix: string | null;
  /** The DNS record to write, as in a zone file; null if none would help. */
  zoneRecord: string | null;
}

const TITLES: Readonly<Record<ForecastCheckCode, string>> = {
  caa: 'CAA',
  dnssec: 'DNSSEC',
  names: 'Names',
  http: 'Validation by HTTP (http-01)',
  tls_alpn: 'Validation by TLS (tls-alpn-01)',
  dns: 'Validation by DNS (dns-01)',
  persist: 'Validation by a persistent DNS record (dns-persist-01)',
  registration: 'Registration',
  schedule: 'Expected renewal',
  lifetime: 'Lifetime of the next certificate',
  overdue: 'Overdue renewal',
};

const WORDS: Readonly<Record<ForecastCheckCode, WordsByReason>> = {
  caa: CAA_WORDS,
  dnssec: DNSSEC_WORDS,
  names: NAMES_WORDS,
  http: HTTP_WORDS,
  tls_alpn: TLS_ALPN_WORDS,
  dns: DNS_CHALLENGE_WORDS,
  persist: PERSIST_WORDS,
  registration: REGISTRATION_WORDS,
  schedule: SCHEDULE_WORDS,
  lifetime: LIFETIME_WORDS,
  overdue: OVERDUE_WORDS,
};

/** Returns a check in words. A reason that a newer version stored gets general words. */
export function checkWords(check: ForecastCheck): ForecastCheckWords {
  const { message, fix, evidence, zoneRecord } = reasonWords(check);
  return {
    title: Object.hasOwn(TITLES, check.code) ? TITLES[check.code] : 'Another check',
    message: message.replaceAll(/ {2,}/g, ' ').trim(),
    evidence: evidence ?? [],
    fix: check.state === 'passes' ? null : (fix ?? null),
    zoneRecord: check.state === 'passes' ? null : (zoneRecord ?? null),
  };
}

const UNKNOWN: ReasonWords = {
  short: 'A newer version found a problem',
  message: 'A newer version of Certlantern made this check.',
};

function reasonWords(check: ForecastCheck): ReasonWords {
  const byReason = Object.hasOwn(WORDS, check.code) ? WORDS[check.code] : {};
  const words = Object.hasOwn(byReason, check.reason) ? byReason[check.reason] : undefined;
  return words?.(new CheckReader(check)) ?? UNKNOWN;
}

/** Returns one sentence for a card, without a full stop: "Next renewal will fail: CAA forbids Let's Encrypt"; null unless it will fail. */
export function forecastLine(forecast: Forecast): string | null {
  const cause = shortCause(forecast, ['fails']);
  return forecast.outcome === 'fails' ? `${WILL_FAIL}${cause}` : null;
}

const WILL_FAIL = 'Next renewal will fail';

/** Returns the cause in the line of a failing renewal, with a colon before it: ": CAA forbids Let's Encrypt"; empty if it has none. */
export const causeInLine = (line: string): string => line.slice(WILL_FAIL.length);

/** Returns a cause in a few words, for subjects and lists: "CAA forbids Let's Encrypt". */
function causeLine(check: ForecastCheck): string {
  return reasonWords(check).short ?? TITLES[check.code];
}

/** Returns one or two sentences that say what will happen, when and why. */
export function forecastMessage(forecast: Forecast): string {
  const { at, expectedAt, outcome } = forecast;
  const day = longInstant(expectedAt);
  const when = expectedAt > at ? `We expect it on ${day}.` : `It was expected on ${day}.`;
  if (outcome === 'fails') return `The next renewal will fail${shortCause(forecast, ['fails'])}. ${when}`;
  if (outcome === 'works') return `As far as we can see, the next renewal will work. ${when}`;
  return `We cannot know whether the next renewal will work${shortCause(forecast, ['depends', 'not_known'])}. ${when}`;
}

/** Returns the worst check in one of the states, as ": CAA forbids Let's Encrypt"; empty if there is none. Unless the renewal fails, a late renewal comes first. */
function shortCause({ checks }: Forecast, states: readonly ForecastCheck['state'][]): string {
  const late = checks.filter(({ code, state }) => code === 'overdue' && state === 'warns');
  const found = states.flatMap((state) => checks.filter((check) => check.state === state));
  const [first] = states.includes('fails') ? found : [...late, ...found];
  if (first === undefined) return '';
  return `: ${causeLine(first).replace(/^(?:The|An?|Port|Some|Not|We) /, (word) => word.toLowerCase())}`;
}

import { DAY_MS, MINUTE_MS, replaceInstants } from '../../contract/durations.ts';

const LANGUAGE = 'en-GB';
/** Creates the formatter when it is first used, because creating one takes a browser milliseconds. */
function lazy<Format>(create: () => Format): () => Format {
  let format: Format | undefined;
  return () => (format ??= create());
}

const number = lazy(() => new Intl.NumberFormat(LANGUAGE));
const plurals = lazy(() => new Intl.PluralRules(LANGUAGE));
const relative = lazy(() => new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto', style: 'short' }));
const list = lazy(() => new Intl.ListFormat(LANGUAGE));

/** Returns a function that formats instants (ms UTC). The language is English, unless `languages` names others. */
export function dateFormat(
  options: Intl.DateTimeFormatOptions,
  languages: string | readonly string[] = LANGUAGE,
): (instant: number) => string {
  const format = lazy(() => new Intl.DateTimeFormat(languages, options));
  return (instant) => format().format(instant);
}

const DATE = { day: 'numeric', month: 'long', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit' } as const;
const long = dateFormat(DATE);
const longTime = dateFormat({ ...DATE, ...TIME });
const utc = dateFormat({ ...DATE, ...TIME, timeZone: 'UTC' });

/** Returns '22 November 2026', in local time. Instants are ms UTC or ISO 8601. */
export function longDate(instant: number | string): string {
  return long(new Date(instant).getTime());
}

/** Returns '22 November 2026 at 14:32', in local time. */
export function longDateTime(instant: number | string): string {
  return longTime(new Date(instant).getTime());
}

/** Returns '07:00' for an instant within the next 24 hours, else '22 November 2026 at 07:00', in local time. `now` in ms UTC. */
export function untilText(instant: number | string, now: number): string {
  const text = longDateTime(instant);
  return Math.abs(new Date(instant).getTime() - now) < DAY_MS ? text.slice(-5) : text;
}

/** Puts the instants in a sentence of the server, '22 November 2026, 14:32 UTC', in local time: '22 November 2026 at 15:32'. */
export function inLocalTime(text: string): string {
  return replaceInstants(text, longDateTime);
}

/** Returns '22 November 2026 at 14:32 UTC', for tooltips. */
export function utcTitle(instant: number | string): string {
  return `${utc(new Date(instant).getTime())} UTC`;
}

/** Returns '2 min ago' up to 24 hours back, then the long date. */
export function relativeTime(instant: number | string, now: number): string {
  const elapsed = now - new Date(instant).getTime();
  if (elapsed >= DAY_MS) return longDate(instant);
  const minutes = Math.floor(Math.max(0, elapsed) / MINUTE_MS);
  if (minutes < 1) return 'just now';
  return minutes < 60
    ? relative().format(-minutes, 'minute')
    : relative().format(-Math.floor(minutes / 60), 'hour');
}

/** Returns '5,001'. */
export function grouped(count: number): string {
  return number().format(count);
}

/** Shortens a long name for a headline: keeps its start and end with '…' between them. */
export function shortName(name: string, max = 48): string {
  const half = Math.floor(max / 2);
  return name.length <= max ? name : `${name.slice(0, half)}…${name.slice(1 - half)}`;
}

/** Returns the form of a word that fits the count: 'domain' for 1, 'domains' for others. */
export function plural(count: number, one: string, other = `${one}s`): string {
  return plurals().select(count) === 'one' ? one : other;
}

/** Returns '1 domain', '5,001 domains'. */
export function counted(count: number, one: string, other?: string): string {
  return `${grouped(count)} ${plural(count, one, other)}`;
}

/** Returns 'a', 'a and b' or 'a, b and c'. */
export function listed(words: readonly string[]): string {
  return list().format(words);
}

/** Returns the IANA name of this browser's time zone. */
export function browserTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

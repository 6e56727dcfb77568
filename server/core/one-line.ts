const MAX_LENGTH = 120;

/**
 * A string out of a certificate, made fit for one line: no control, format or line-breaking characters (no header can be
 * smuggled in, no text direction turned), at most 120 characters. Markup still has to escape it.
 */
export function oneLine(text: string): string {
  return shortLine(text, MAX_LENGTH);
}

/** Of a stranger's text no more is read for one line, however little of it can be shown. */
const MOST_READ = 4_096;

/** The same, of at most `length` characters. */
export function shortLine(text: string, length: number): string {
  const clean = text
    .slice(0, MOST_READ)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : clean;
}

const MAX_LENGTH = 120;

/**
 * A string out of a certificate, made fit for one line: no control, format or line-breaking characters (no header can be
 * smuggled in, no text direction turned), at most 120 characters. Markup still has to escape it.
 */
export function oneLine(text: string): string {
  return shortLine(text, MAX_LENGTH);
}

/** The same, of at most `length` characters. */
export function shortLine(text: string, length: number): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : clean;
}

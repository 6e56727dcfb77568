const MAX_LENGTH = 120;

/**
 * Returns a string of a certificate as one line of at most 120 characters, without control, format or line-breaking
 * characters, so that it cannot inject headers or change the text direction. Markup must still escape it.
 */
export function oneLine(text: string): string {
  return truncatedLine(text, MAX_LENGTH);
}

/** Longest part of an untrusted text that is processed, in UTF-16 code units, even if little of it is printable. */
const MAX_READ = 4_096;

/** Returns the same as `oneLine`, but with at most `length` characters. */
export function truncatedLine(text: string, length: number): string {
  const clean = text
    .slice(0, MAX_READ)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : clean;
}

const LIST = new Intl.ListFormat('en-GB');

/** Returns a list in words: "Go, Java and GnuTLS". */
export function listed(items: readonly string[]): string {
  return LIST.format(items);
}

/**
 * Replaces characters that could control a terminal or change the text direction, but keeps line breaks. Text from
 * certificates is untrusted.
 */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{Cc}\n]|[\p{Cf}\p{Co}\u2028\u2029]/gu, ' ');
}

/** Formats `value` as JSON. Escapes the characters that `printable` replaces, so that parsers get the original text. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[\u007f-\u009f\p{Cf}\p{Co}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(
      '',
    ),
  );
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

// Control characters, and those that turn the direction of text around or are not seen at all.
const UNSEEN = /[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** Text of a certificate as it is, with what would not be seen, or would make the rest look like something else, spelled out. */
export function visibleText(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

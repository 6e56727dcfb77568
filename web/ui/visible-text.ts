// Control characters, and characters that are invisible or change the text direction.
const UNSEEN = /[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** Returns certificate text with invisible or misleading characters escaped. */
export function visibleText(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

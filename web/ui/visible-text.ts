import { inLocalTime } from '../lib/format.ts';

// Control characters, and characters that are invisible or change the text direction.
const UNSEEN = /[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** Returns certificate text with invisible or misleading characters escaped. */
export function visibleText(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** Returns a sentence of the server as pages show it: with its instants in local time, and misleading characters escaped. */
export const serverText = (sentence: string): string => visibleText(inLocalTime(sentence));

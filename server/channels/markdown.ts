import { escapedWithin } from './alert-lines.ts';

/**
 * What CommonMark and its relatives read anything into: emphasis, code, links, lists, headings, quotes, tables, HTML,
 * mentions, and the braces of functions and templates. A slash, since `https://` begins a link by itself.
 */
const MARKS = /[\\`*_{}[\]<>#+\-~|!@/$&]/;

/** Plain text as Markdown that reads as just that, at most `length` long. */
export function asMarkdown(text: string, length: number): string {
  return escapedWithin(text, length, (character) => (MARKS.test(character) ? `\\${character}` : character));
}

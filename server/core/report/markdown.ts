import { truncatedLine } from '../one-line.ts';

const MAX_LENGTH = 600;

/**
 * Returns an untrusted string as plain text in Markdown: one line of at most 600 characters before escaping, without
 * control, format or line-breaking characters. The only markup is a code span around each word with `@`.
 */
export function plain(text: string): string {
  return visible(text)
    .split(WITH_AT)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join('');
}

/**
 * Words with `@`. They are shown as code, because an escaped `@name` still notifies that account if somebody pastes the
 * report into an issue.
 */
const WITH_AT = /(?<![\p{L}\p{N}.@_+-])([\p{L}\p{N}.@_+-]*@[\p{L}\p{N}.@_+-]*)/u;

function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>|~#&!$]/g, String.raw`\$&`)
    .replaceAll('://', String.raw`\://`)
    .replaceAll(/www\./gi, (found) => `${found.slice(0, 3)}\\.`)
    .replace(/^(\d*)([-+.)])/, String.raw`$1\$2`);
}

/** Returns an inline code span, or a dash for an empty text. */
export function code(text: string): string {
  const clean = visible(text);
  if (clean === '') return '–';
  const fence = longerThan(clean, '`');
  const pad = /^`|`$/.test(clean) ? ' ' : '';
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Returns the same as `code` for a table cell: there an unescaped bar ends the cell even inside a code span. */
export function codeCell(text: string): string {
  return code(text).replaceAll('|', String.raw`\|`);
}

export function block(language: string, text: string): string {
  const clean = text.toWellFormed().replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, '');
  const fence = '`'.repeat(Math.max(3, longerThan(clean, '`').length));
  return `${fence}${language}\n${clean.trimEnd()}\n${fence}`;
}

/** Returns a table. The cells must already be Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const visible = (text: string): string => truncatedLine(text, MAX_LENGTH);

function longerThan(text: string, mark: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  return mark.repeat(longest + 1);
}

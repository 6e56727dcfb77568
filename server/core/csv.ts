const SEPARATORS = [';', '\t', '\r', '\n'];

export type CsvCell = string | number | boolean | null;

/** Spreadsheets take it for the sign of UTF-8. */
export const CSV_START = '\u{FEFF}';

/**
 * Matches where the text of a cell begins, or may begin for a program that splits at semicolons, tabs or every line end, with the
 * character that a spreadsheet takes for the beginning of a formula, in its full-width and small forms too.
 */
const BEGINNING =
  /(?:^|[;\t\r\n])[\s\p{Cc}\p{Cf}";]*(?<formula>[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])?/gu;

/**
 * One record of RFC 4180 with its CRLF. Text that a spreadsheet would calculate gets an apostrophe before it; numbers are
 * written as they are.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(field).join(',')}\r\n`;
}

function field(cell: CsvCell): string {
  const text = typeof cell === 'string' ? harmless(cell.toWellFormed()) : String(cell ?? '');
  return /[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function harmless(text: string): string {
  const guarded = text.replaceAll(BEGINNING, (beginning: string, formula: string | undefined) => {
    if (formula === undefined) return beginning;
    const start = 1 + Math.max(...SEPARATORS.map((separator) => beginning.lastIndexOf(separator)));
    return `${beginning.slice(0, start)}'${beginning.slice(start)}`;
  });
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

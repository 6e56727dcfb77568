const SEPARATORS = [';', '\t', '\r', '\n'];

export type CsvCell = string | number | boolean | null;

/** The byte order mark, by which spreadsheets recognise UTF-8. It comes before the first record. */
export const CSV_START = '\u{FEFF}';

/**
 * Matches each start of a cell (also after semicolons, tabs and line ends, where some programs split), the invisible characters and
 * quotes after it, and the character that starts a formula (also in full-width and other forms) if one follows.
 */
const CELL_START =
  /(?:^|[;\t\r\n])[\s\p{Cc}\p{Cf}";]*(?<formula>[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])?/gu;

/**
 * Returns one CSV record that ends in CRLF (RFC 4180). An apostrophe precedes text that a spreadsheet could evaluate;
 * numbers stay as they are.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(field).join(',')}\r\n`;
}

function field(cell: CsvCell): string {
  const text = typeof cell === 'string' ? guardFormulas(cell.toWellFormed()) : String(cell ?? '');
  return /[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function guardFormulas(text: string): string {
  const guarded = text.replaceAll(CELL_START, (beginning: string, formula: string | undefined) => {
    if (formula === undefined) return beginning;
    const start = 1 + Math.max(...SEPARATORS.map((separator) => beginning.lastIndexOf(separator)));
    return `${beginning.slice(0, start)}'${beginning.slice(start)}`;
  });
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

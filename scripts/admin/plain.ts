import { oneLine } from '../../server/core/one-line.ts';

/**
 * Returns the lines of a table with aligned columns. Removes control characters, because the cells are untrusted text.
 */
export function table(head: string[], rows: string[][]): string[] {
  const cells = [head, ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns the lines of untrusted text, indented and without control characters. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `  ${line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trimEnd()}`.trimEnd());
}

/** Formats ms UTC as "2026-11-20 14:30". */
export function minuteText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats ms UTC as "2026-11-20". */
export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

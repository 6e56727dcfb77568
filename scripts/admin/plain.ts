import { oneLine } from '../../server/core/index.ts';

/** Aligned columns. Everything in them is a stranger's text: no control character reaches the terminal. */
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

/** A person's text of several lines, indented, fit for a terminal. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `  ${line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trimEnd()}`.trimEnd());
}

/** "2026-11-20 14:30", UTC */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** "2026-11-20", UTC */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

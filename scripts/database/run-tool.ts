import { ConfigError } from '../../server/config-error.ts';
import { DataDirectoryError } from '../../server/data-directory.ts';
import { CopyError } from '../../server/store/operations/copy/copy-error.ts';
import { StoreError } from '../../server/store/db/store-error.ts';
import { MistakeError } from '../admin/mistake-error.ts';
import { count } from '../../contract/words.ts';

const EXPECTED = [ConfigError, DataDirectoryError, StoreError, CopyError, MistakeError];

/**
 * Runs a tool. Prints expected errors as one line and sets the exit code: 2 for an invalid command line, 1 for other
 * expected errors.
 */
export async function runTool(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : ''}\n`);
    process.exitCode = error instanceof MistakeError ? error.exitCode : 1;
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Formats a summary of tables: "34 tables with 12,345 rows". */
export function tableSummary(tables: readonly { rows: number }[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${count(tables.length, 'table')} with ${count(rows, 'row')}`;
}

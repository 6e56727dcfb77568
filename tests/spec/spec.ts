import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the statements of the product specification, keyed by id. */
export function readStatements(): Map<string, string> {
  const lines = readFileSync(join(import.meta.dirname, 'statements.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  return new Map(lines.map((line) => line.split('\t', 2) as [string, string]));
}

const statements = readStatements();

/**
 * Marks a statement of the specification as verified by the assertions before this call. `npm test` fails if no executed call marks it.
 * @throws Error if id and statement do not match `statements.tsv`
 */
export function spec(id: string, statement: string): void {
  if (statements.get(id) !== statement)
    throw new Error(`tests/spec/statements.tsv has no statement ${id} “${statement}”`);
  recordShown(id);
}

/** Appends the id to the file named by `SHOWN_IDS`, if the variable is set. `npm test` reads the file after the last test. */
export function recordShown(id: string): void {
  const file = process.env['SHOWN_IDS'];
  if (file !== undefined) appendFileSync(file, `${id}\n`);
}

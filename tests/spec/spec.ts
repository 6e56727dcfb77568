import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The statements of the product's specification, by their ids and in its order. */
export function readStatements(): Map<string, string> {
  const lines = readFileSync(join(import.meta.dirname, 'statements.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  return new Map(lines.map((line) => line.split('\t', 2) as [string, string]));
}

const statements = readStatements();

/**
 * Notes that the assertions above it have shown a statement of the specification. `npm test` collects the notes of all tests in the
 * file that `SPEC_SHOWN` names, and fails for a statement without one.
 * @throws where the specification has no such statement, or words it otherwise.
 */
export function spec(id: string, statement: string): void {
  if (statements.get(id) !== statement)
    throw new Error(`tests/spec/statements.tsv has no statement ${id} “${statement}”`);
  const file = process.env['SPEC_SHOWN'];
  if (file !== undefined) appendFileSync(file, `${id}\n`);
}

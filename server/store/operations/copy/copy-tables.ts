import { CopyError } from './copy-error.ts';
import { createSum, type Row, type TableShape, type TableSum } from './rows.ts';

/** The tables and rows that a copy reads. */
export interface Source {
  tables: readonly TableShape[];
  rows(table: TableShape): Iterable<Row[]> | AsyncIterable<Row[]>;
}

export interface Target extends Source {
  insert(table: TableShape, rows: readonly Row[]): void | Promise<void>;
}

/**
 * Copies the tables `names`, within a transaction of the target; both sides must have the same schema level. Verifies
 * each table by reading it back. @throws CopyError `damaged` if the copy differs
 */
export async function copyTables(
  from: Source,
  to: Target,
  { names, onTable }: { names: readonly string[]; onTable?: (sum: TableSum) => void },
): Promise<TableSum[]> {
  const sums: TableSum[] = [];
  for (const target of to.tables.filter(({ name }) => names.includes(name))) {
    const source = from.tables.find(({ name }) => name === target.name);
    if (source === undefined || columnsOf(source) !== columnsOf(target))
      throw new CopyError('damaged', `The table ${target.name} is not as this program makes it.`);
    const read = createSum(source.name);
    for await (const rows of from.rows(source)) {
      read.add(rows);
      await to.insert(target, rows);
    }
    const sum = read.result();
    const written = await sumOf(to, target);
    if (sum.rows !== written.rows || sum.checksum !== written.checksum) throw differs(sum, written);
    sums.push(sum);
    onTable?.(sum);
  }
  return sums;
}

/** Reads a table and returns its row count and checksum. */
export async function sumOf(source: Source, table: TableShape): Promise<TableSum> {
  const sum = createSum(table.name);
  for await (const rows of source.rows(table)) sum.add(rows);
  return sum.result();
}

/** Returns the error for a table whose copy differs from the original. */
export function differs(expected: TableSum, found: TableSum): CopyError {
  const side = ({ rows, checksum }: TableSum) => `${rows} rows, checksum ${checksum.slice(0, 16)}`;
  return new CopyError(
    'damaged',
    `The copy of the table ${expected.table} is not what it was copied from (${side(expected)}; the copy: ${side(found)}).`,
  );
}

const columnsOf = ({ columns }: TableShape): string => columns.map(({ name }) => name).join(',');

import { CopyError } from './copy-error.ts';
import { createSum, type Row, type TableShape, type TableSum } from './rows.ts';

/** One side of a copy. */
export interface Source {
  tables: readonly TableShape[];
  rows(table: TableShape): Iterable<Row[]> | AsyncIterable<Row[]>;
}

export interface Target extends Source {
  insert(table: TableShape, rows: readonly Row[]): void | Promise<void>;
}

/**
 * Copies every table and reads it again from the target, in whose transaction all of it has to happen. Both have the tables of
 * one level.
 * @throws CopyError `damaged` when what is there then is not what was read.
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

/** Counts and checksum of a table as it is now. */
export async function sumOf(source: Source, table: TableShape): Promise<TableSum> {
  const sum = createSum(table.name);
  for await (const rows of source.rows(table)) sum.add(rows);
  return sum.result();
}

/** The line that tells of a copy that is none. */
export function differs(expected: TableSum, found: TableSum): CopyError {
  const side = ({ rows, checksum }: TableSum) => `${rows} rows, checksum ${checksum.slice(0, 16)}`;
  return new CopyError(
    'damaged',
    `The copy of the table ${expected.table} is not what it was copied from (${side(expected)}; the copy: ${side(found)}).`,
  );
}

const columnsOf = ({ columns }: TableShape): string => columns.map(({ name }) => name).join(',');

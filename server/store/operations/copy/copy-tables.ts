import { hash } from 'node:crypto';
import { tablesWith } from '../../schema/catalogue.ts';
import { CopyError } from './copy-error.ts';

/** A value in a form common to both databases: times of better-auth are ISO text, its booleans 0 and 1. */
export type CopiedValue = null | number | string | Uint8Array;
export type CopiedRow = readonly CopiedValue[];

export interface TableColumn {
  name: string;
  kind: 'plain' | 'instant' | 'flag';
  /** The type name in the database. */
  type: string;
}

export interface TableShape {
  name: string;
  /** The columns, sorted by name. */
  columns: TableColumn[];
  /** Names of tables that its foreign keys refer to and that must be filled first. */
  refersTo: string[];
}

/** Row count and checksum of a table. Equal rows give equal sums, in any order and on either database. */
export interface TableSum {
  table: string;
  rows: number;
  checksum: string;
}

/** Returns whether migrations keep their state in the table. It is not copied: the migrations of the target create it. */
export const isMigrationTable = (table: string): boolean =>
  tablesWith('of').some(([name, of]) => name === table && of === 'migrations');

export const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name);

/** Sorts tables so that each one comes after the tables it refers to. @throws Error for circular references */
export function sortByReferences(tables: readonly TableShape[]): TableShape[] {
  const ordered: TableShape[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const ready = [...waiting].filter(({ name, refersTo }) =>
      refersTo.every((other) => other === name || ![...waiting].some((table) => table.name === other)),
    );
    if (ready.length === 0)
      throw new Error(
        `Tables that refer to each other in a cycle: ${[...waiting].map(({ name }) => name).join(', ')}`,
      );
    for (const table of ready) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  return ordered;
}

/** A database or file from which a copy reads tables. */
export interface Source {
  tables: readonly TableShape[];
  rows(table: TableShape): Iterable<CopiedRow[]> | AsyncIterable<CopiedRow[]>;
}

export interface Target extends Source {
  insert(table: TableShape, rows: readonly CopiedRow[]): void | Promise<void>;
}

/**
 * Copies the tables `names` and reads each copy back to verify it. Both sides must have the same schema level. The caller must
 * have begun a transaction on the target. @throws CopyError `damaged` if the copy differs
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
      throw new CopyError(
        'damaged',
        `The table ${target.name} does not have the columns that this program creates.`,
      );
    const read = createSum(source.name);
    for await (const rows of from.rows(source)) {
      read.add(rows);
      await to.insert(target, rows);
    }
    const sum = read.result();
    const written = await checksumTable(to, target);
    if (sum.rows !== written.rows || sum.checksum !== written.checksum) throw copyMismatch(sum, written);
    sums.push(sum);
    onTable?.(sum);
  }
  return sums;
}

/** Reads a table and returns its row count and checksum. */
export async function checksumTable(source: Source, table: TableShape): Promise<TableSum> {
  const sum = createSum(table.name);
  for await (const rows of source.rows(table)) sum.add(rows);
  return sum.result();
}

/** Returns the error for a table whose copy differs from its source. */
export function copyMismatch(expected: TableSum, found: TableSum): CopyError {
  const side = ({ rows, checksum }: TableSum) => `${rows} rows, checksum ${checksum.slice(0, 16)}`;
  return new CopyError(
    'damaged',
    `The copy of the table ${expected.table} differs from the original (${side(expected)}; the copy: ${side(found)}).`,
  );
}

const columnsOf = ({ columns }: TableShape): string => columns.map(({ name }) => name).join(',');

/**
 * Returns an accumulator of row hashes. The sum does not depend on the order of the rows, which differs between the databases.
 */
function createSum(table: string): { add(rows: readonly CopiedRow[]): void; result(): TableSum } {
  let rows = 0;
  let [high, low] = [0n, 0n];
  return {
    add(batch) {
      for (const row of batch) {
        const digest = hash('sha256', JSON.stringify(row, asText), 'buffer');
        high = BigInt.asUintN(64, high + digest.readBigUInt64BE(0));
        low = BigInt.asUintN(64, low + digest.readBigUInt64BE(8));
      }
      rows += batch.length;
    },
    result: () => ({ table, rows, checksum: [high, low].map(hex).join('') }),
  };
}

const hex = (half: bigint): string => half.toString(16).padStart(16, '0');

function asText(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
}

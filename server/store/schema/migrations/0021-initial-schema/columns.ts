import {
  type ColumnBuilderCallback,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';

// On both databases, times are bigint (ms UTC), booleans are integer (0 or 1) and JSON is text.

/** The column types that differ. better-auth's tables use its own forms for times and booleans. */
export const TYPES = {
  sqlite: { bytes: 'blob', identityTime: 'date', identityFlag: 'integer' },
  postgres: { bytes: 'bytea', identityTime: 'timestamptz', identityFlag: 'boolean' },
} as const;

export const primaryKey: ColumnBuilderCallback = (column) => column.primaryKey();
export const notNull: ColumnBuilderCallback = (column) => column.notNull();
export const unique: ColumnBuilderCallback = (column) => column.notNull().unique();

export function withDefault(value: string | number): ColumnBuilderCallback {
  return (column) => column.notNull().defaultTo(value);
}

/** Defines a foreign key to `accounts` that deletes the row with its account. */
export const ofAccount: ColumnBuilderCallback = (column) =>
  column.notNull().references('accounts.id').onDelete('cascade');

/** Defines a foreign key like `ofAccount` that is also the primary key, for tables with at most one row per account. */
export const onePerAccount: ColumnBuilderCallback = (column) =>
  column.primaryKey().references('accounts.id').onDelete('cascade');

type MonitorColumn = 'account_id' | 'monitor_id';

/** Returns a create-table builder with `account_id`, `monitor_id` and a foreign key that deletes the rows with their monitor. */
export function createTableOfMonitor(
  db: Kysely<unknown>,
  table: string,
  foreignKey?: string,
): CreateTableBuilder<string, MonitorColumn> {
  return db.schema
    .createTable(table)
    .addColumn('account_id', 'text', notNull)
    .addColumn('monitor_id', 'text', notNull)
    .$call((builder) => deletedWithMonitor(builder, table, foreignKey));
}

/** Adds the foreign key that deletes a row with its monitor. Rows without a monitor may have null in `monitor_id`. */
export function deletedWithMonitor<C extends string>(
  builder: CreateTableBuilder<string, C | MonitorColumn>,
  table: string,
  foreignKey = `${table}_account_id_monitor_id_fkey`,
): CreateTableBuilder<string, C | MonitorColumn> {
  return builder.addForeignKeyConstraint(
    foreignKey,
    ['account_id', 'monitor_id'],
    'monitors',
    ['account_id', 'id'],
    (key) => key.onDelete('cascade'),
  );
}

/** Stores rows of a few short columns in the primary key's index on SQLite, which would otherwise store the key twice. */
export function smallRows(dialect: DialectName): RawBuilder<unknown> {
  return sql.raw(dialect === 'sqlite' ? 'without rowid' : '');
}

/**
 * Prepares a table whose rows change with every check. PostgreSQL leaves space in each page for the next version of a row, and
 * vacuums when 2% of the rows are dead instead of 20%.
 */
export function hotRows(dialect: DialectName): RawBuilder<unknown> {
  return sql.raw(
    dialect === 'sqlite'
      ? ''
      : `with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
          autovacuum_vacuum_cost_delay = 1)`,
  );
}

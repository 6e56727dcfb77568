import type { RawBuilder, SelectType, SqlBool } from 'kysely';
import type { ClearedTable } from '../../core/account-mail.ts';
import type { Tables } from './tables.ts';

/** Rule by which the hourly sweep deletes rows that have expired. */
interface ExpiryRule<Column extends string> {
  /** A row is deleted once one of these times is at least `keepMs` ago. `keepMs` is 0 by default. */
  at: readonly Column[];
  keepMs?: number;
  /** If set, a row is also deleted if one of its times is further ahead than this, because a clock that ran ahead wrote it. */
  aheadMs?: number;
  /** If set, only rows that meet this condition are deleted. */
  only?: RawBuilder<SqlBool>;
  /** True if the times are ISO text, as the identity provider writes them. */
  isText?: boolean;
}

/** Rule by which the daily sweep deletes rows of a monitor's history. `key` is unique among the rows of a monitor. */
export interface HistoryRule<Column extends string = string> {
  key: Column;
  /** A row is deleted once this time is longer ago than the plan shows. Rows without this time are still needed and kept. */
  at?: Column;
  /**
   * The maximum number of rows per monitor, and the column that sorts them. It applies in addition to the limit on their age: an
   * endpoint whose result changes at each check adds up to 8,640 rows a day, if its owner requests checks as often as possible.
   */
  newest?: { by: Column; maximum: number };
  /** A row is deleted once no run and no last check refers to its key in this column. */
  referredBy?: keyof Tables['check_runs'] & keyof Tables['monitor_states'];
  /** If set, only rows that meet this condition are deleted. The condition calls the table `old`. */
  isDeletable?: RawBuilder<SqlBool>;
}

/** The columns of a table that the export lists. No two rows of an account may have the same `at` and `key`. */
export interface ListedColumns<Column extends string = string> {
  /** Name of the list. Default: the name of the table. */
  as?: string;
  columns: readonly Column[];
  /** Column that is exported as `created_at`, oldest rows first. Default: the column of this name. */
  at?: Column;
  /** Column that is exported as `id`. Default: the column of this name. */
  key?: Column;
  /** Columns that contain JSON. */
  json?: readonly Column[];
  /** Columns that contain 0 or 1. */
  flags?: readonly Column[];
}

/**
 * What happens to a column of a row that is kept for a new owner. A string says why the value is kept. A function returns the new
 * value (`now` in ms UTC). `changedBy` names the code that changes the column.
 */
type ColumnPolicy<Value> = string | ((now: number) => Value) | { changedBy: string };

/**
 * What happens to an account's rows when a new owner verifies its address. `reported`: deleted and counted in the mail to the
 * owner. `removed`: deleted, not in the mail. `kept`: kept, for the given reason. `columns`: kept, with some columns reset.
 */
export type NewOwnerPolicy<Table extends keyof Tables = keyof Tables> =
  | (Table extends ClearedTable ? 'reported' : 'removed')
  | { kept: string }
  | { columns: { [Column in keyof Tables[Table]]-?: ColumnPolicy<SelectType<Tables[Table][Column]>> } };

/** The rules for the rows of a table. */
export interface Rules<Table extends keyof Tables, Column extends string = keyof Tables[Table] & string> {
  /** What prevents a stranger from filling the table. */
  bound: string;
  newOwner: NewOwnerPolicy<Table>;
  /** What the export of an account lists, or why the table has no list of its own. */
  exported: ListedColumns<Column> | string;
  expires?: ExpiryRule<Column>;
  history?: HistoryRule<Column>;
  /** Columns with times of past events. Times in the future, which a clock that ran ahead wrote, are set to now. */
  pastEvents?: readonly Column[];
  /**
   * To whom rows without `account_id` belong. `users`: deleted with a user of the identity provider. `shared`: deleted when no
   * account needs them. `deployment`: kept. `migrations`: written by migrations, so copies omit them.
   */
  of: 'users' | 'shared' | 'deployment' | 'migrations';
}

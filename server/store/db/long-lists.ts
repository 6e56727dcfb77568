import {
  type Dialect,
  PostgresDialect,
  type PostgresPool,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
  type QueryCompiler,
  SqliteQueryCompiler,
} from 'kysely';

/**
 * Maximum number of separate parameters for a list. Longer lists become one parameter: SQLite accepts 32,766 parameters in a
 * statement, PostgreSQL 65,535.
 */
const MAX_LISTED = 500;
/** Maximum number of rows of an insert. An insert of 500 incidents blocked the event loop of the main thread for 55 ms. */
const MAX_INSERTED = 100;

/** Compiles queries for SQLite. The values of a long `in` list become one JSON parameter. */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitPrimitiveValueList(list: PrimitiveValueListNode): void {
    if (list.values.length <= MAX_LISTED) return super.visitPrimitiveValueList(list);
    this.append('(select value from json_each(');
    this.appendValue(JSON.stringify(list.values));
    this.append('))');
  }
}

/** Compiles queries for PostgreSQL. The values of a long `in` list become one array parameter. */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitPrimitiveValueList(list: PrimitiveValueListNode): void {
    if (list.values.length <= MAX_LISTED) return super.visitPrimitiveValueList(list);
    this.append('(select unnest(');
    this.appendValue(list.values);
    this.append(typeof list.values[0] === 'number' ? '::bigint[]))' : '::text[]))');
  }
}

/** Returns a Kysely dialect for a pool of PostgreSQL connections. */
export function dialectOfPool(pool: PostgresPool): Dialect {
  return Object.assign(new PostgresDialect({ pool }), {
    createQueryCompiler: (): QueryCompiler => new PostgresCompiler(),
  });
}

/** Splits a list into batches of 100, for example the rows of an insert. */
export function batches<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / MAX_INSERTED) }, (_, index) =>
    rows.slice(index * MAX_INSERTED, (index + 1) * MAX_INSERTED),
  );
}

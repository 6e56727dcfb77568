import { Kysely, sql, type Transaction } from 'kysely';
import type { DialectName } from '../db/dialect.ts';
import { NodeSqliteDialect } from '../db/node-sqlite-dialect.ts';
import { StoreError } from '../db/store-error.ts';
import { createInitialSchema } from './migrations/0021-initial-schema/index.ts';
import { levelOf, MIGRATIONS } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/** The migration that replaced the former migrations. It creates the same tables as they did. */
const INITIAL_SCHEMA = '0021-initial-schema';
const INITIAL_LEVEL = levelOf(INITIAL_SCHEMA);

/** The migrations of schema levels 1 to 20, which were never released. */
const FORMER_MIGRATIONS = [
  '0001-first-tables',
  '0002-identity-provider-tables',
  '0003-plans-and-mails',
  '0004-identity-factors',
  '0005-descriptions-and-glances',
  '0006-protocols-and-uptime',
  '0007-channels-and-incidents',
  '0008-account-first',
  '0009-api-tokens',
  '0010-reading',
  '0011-status-pages',
  '0012-lanes',
  '0013-totals',
  '0014-bounded-storage',
  '0016-renewal-schedules',
  '0019-mailed-links',
  '0020-sign-ups',
];

/** The last commit with the former migrations. A server of this commit migrates a database of any former level to level 20. */
const LAST_FORMER_COMMIT = '8cfdd967007c0962e4dca62ec1f1ce497ae95f49';

/** Returns whether these are the migrations of schema level 20, whose tables are those of `0021-initial-schema`. */
export function isLastFormerLevel(done: readonly string[]): boolean {
  return done.length === FORMER_MIGRATIONS.length && done.every(isFormer);
}

const isFormer = (migration: string): boolean => FORMER_MIGRATIONS.includes(migration);

export interface LevelFound {
  /** The level: 0 without migrations; 21 for a database of level 20, because both levels have the same tables. */
  level: number;
  /** Names of migrations that this program does not know. */
  unknown: string[];
  /** Whether the level is below 20, from which this program cannot migrate. */
  isTooOld: boolean;
}

/** Returns the level of a database in which the migrations `done` ran, for a program with the migrations `changes`. */
export function findLevel(done: readonly string[], changes = MIGRATIONS): LevelFound {
  const unknown = done.filter((change) => !Object.hasOwn(changes, change) && !isFormer(change));
  const level = isLastFormerLevel(done) ? INITIAL_LEVEL : Math.max(0, ...done.map(levelOf));
  return { level, unknown, isTooOld: unknown.length === 0 && level > 0 && level < INITIAL_LEVEL };
}

/** Returns the message that refuses a database or backup below schema level 20. It tells the operator what to do. */
export function tooOldMessage(name: string, done: readonly string[], kind: 'database' | 'backup'): string {
  const step =
    kind === 'database'
      ? `Start commit ${LAST_FORMER_COMMIT} of the program once`
      : `Restore it with commit ${LAST_FORMER_COMMIT} of the program, and start that commit once`;
  return `${name} is at level ${findLevel(done).level}, but this version of the program needs level 20 or newer. ${step}, which brings it to level 20. Then start this version again.`;
}

type Db = Kysely<Tables>;

/**
 * Prepares a database of schema level 20 for later migrations: records `0021-initial-schema` as done in place of the former ones.
 * Ignores tables of other programs. @throws StoreError `unexpected_schema` if tables or columns differ from the initial schema
 */
export async function baseline(trx: Transaction<Tables>, dialect: DialectName, name: string): Promise<void> {
  const differences = await differencesFromInitialSchema(trx, dialect, name);
  if (differences.length > 0) {
    const more = differences.length > 3 ? ` (and ${differences.length - 3} more)` : '';
    throw new StoreError(
      'unexpected_schema',
      `${name} is at level 20, but its tables are not those of level 20: ${differences.slice(0, 3).join('; ')}${more}. Undo these changes or restore a backup, then start again. Nothing was changed.`,
    );
  }
  await sql`delete from kysely_migration`.execute(trx);
  await sql`insert into kysely_migration (name, timestamp)
    values (${INITIAL_SCHEMA}, ${new Date().toISOString()})`.execute(trx);
}

/** The columns of each table by name, with type and nullability, for example "text not null". */
type Shape = Map<string, Map<string, string>>;

async function differencesFromInitialSchema(trx: Db, dialect: DialectName, name: string): Promise<string[]> {
  const expected = await (dialect === 'postgres'
    ? initialSchemaOnPostgres(trx, name)
    : initialSchemaOnSqlite());
  const found = await shapeOf(trx, dialect === 'postgres' ? await currentSchema(trx) : undefined);
  return [...expected].flatMap(([table, wanted]) => {
    const columns = found.get(table);
    if (columns === undefined) return [`the table ${table} is missing`];
    return [...new Set([...wanted.keys(), ...columns.keys()])]
      .filter((column) => wanted.get(column) !== columns.get(column))
      .map((column) => difference(`${table}.${column}`, wanted.get(column), columns.get(column)));
  });
}

function difference(column: string, wanted: string | undefined, found: string | undefined): string {
  if (found === undefined) return `${column} is missing`;
  return wanted === undefined ? `${column} is unknown` : `${column} is ${found} instead of ${wanted}`;
}

async function initialSchemaOnSqlite(): Promise<Shape> {
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(':memory:') });
  try {
    await createInitialSchema(db as unknown as Kysely<unknown>, 'sqlite');
    return await shapeOf(db, undefined);
  } finally {
    await db.destroy();
  }
}

const SCRATCH_SCHEMA = 'certlantern_scratch';

async function initialSchemaOnPostgres(trx: Db, name: string): Promise<Shape> {
  const { rows } = await sql<{ path: string; mayCreate: boolean }>`
    select current_setting('search_path') as path,
      has_database_privilege(current_database(), 'create') as "mayCreate"`.execute(trx);
  if (rows[0]?.mayCreate !== true)
    throw new StoreError(
      'refused',
      `${name} is at level 20. To compare its tables with those of level 21, its user must be allowed to create a schema: run "grant create on database … to …", then start again.`,
    );
  const searchIn = (path: string) => sql`select set_config('search_path', ${path}, true)`.execute(trx);
  await sql`create schema ${sql.id(SCRATCH_SCHEMA)}`.execute(trx);
  await searchIn(SCRATCH_SCHEMA);
  await createInitialSchema(trx as unknown as Kysely<unknown>, 'postgres');
  const shape = await shapeOf(trx, SCRATCH_SCHEMA);
  await searchIn(rows[0].path);
  await sql`drop schema ${sql.id(SCRATCH_SCHEMA)} cascade`.execute(trx);
  return shape;
}

async function currentSchema(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name;
}

async function shapeOf(db: Db, schema: string | undefined): Promise<Shape> {
  const tables = (await db.introspection.getTables()).filter((table) => table.schema === schema);
  return new Map(
    tables.map(({ name, columns }) => [
      name,
      new Map(
        columns.map((column) => [
          column.name,
          `${column.dataType.toLowerCase()}${column.isNullable ? '' : ' not null'}`,
        ]),
      ),
    ]),
  );
}

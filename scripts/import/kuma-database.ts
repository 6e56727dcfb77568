import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SQLITE_HEADER } from '../../contract/files/file-text.ts';
import { MAX_LINES } from '../../web/features/domain-import/parse-import.ts';

/**
 * Columns of the table `monitor` that are read if they exist, with their names in Uptime Kuma’s backup. Columns with secrets
 * are left out, except the passwords in `url` and `database_connection_string`.
 */
const COLUMNS: Record<string, string> = {
  id: 'id',
  parent: 'parent',
  name: 'name',
  description: 'description',
  type: 'type',
  subtype: 'subtype',
  active: 'active',
  upside_down: 'upsideDown',
  url: 'url',
  method: 'method',
  auth_method: 'authMethod',
  hostname: 'hostname',
  port: 'port',
  ignore_tls: 'ignoreTls',
  maxredirects: 'maxredirects',
  accepted_statuscodes_json: 'accepted_statuscodes',
  ip_family: 'ipFamily',
  smtp_security: 'smtpSecurity',
  expected_tls_alert: 'expectedTlsAlert',
  grpc_url: 'grpcUrl',
  grpc_enable_tls: 'grpcEnableTls',
  database_connection_string: 'databaseConnectionString',
  kafka_producer_brokers: 'kafkaProducerBrokers',
  kafka_producer_ssl: 'kafkaProducerSsl',
  rabbitmq_nodes: 'rabbitmqNodes',
  headers: 'headers',
  body: 'body',
};
/** Columns that may hold secrets. We only read whether they are empty. */
const SECRET_COLUMNS = new Set(['headers', 'body']);
const JSON_COLUMNS = ['accepted_statuscodes', 'kafkaProducerBrokers', 'rabbitmqNodes'];

type Row = Record<string, unknown>;

/** Error for a database that cannot be imported. Its message names the reason. */
export class KumaDatabaseError extends Error {
  override name = 'KumaDatabaseError';
}

/**
 * Reads the monitors of Uptime Kuma's `kuma.db`, in the form of its JSON backup. The file is not changed, even while Uptime Kuma writes
 * to it. Monitors in a paused group are paused. @throws KumaDatabaseError
 */
export function readKumaDatabase(path: string): Row[] {
  let opened: ReturnType<typeof open> | null = null;
  try {
    opened = open(path);
    return monitorsIn(opened.database, path);
  } catch (error) {
    if (error instanceof KumaDatabaseError) throw error;
    throw new KumaDatabaseError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  } finally {
    opened?.close();
  }
}

/** Returns whether the file is an SQLite database. Reads only its start, because a database may be larger than the memory. */
export function isDatabase(path: string): boolean {
  const start = Buffer.alloc(SQLITE_HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.toString('latin1') === SQLITE_HEADER;
}

/** Opens a database. Neither changes it nor leaves a file beside it. */
function open(path: string): { database: DatabaseSync; close: () => void } {
  const openAt = (place: string | URL) =>
    new DatabaseSync(place, { readOnly: true, allowExtension: false, timeout: 5_000 });
  // If this file exists, Uptime Kuma may have the database open. Its locks then give us a consistent view, and reading
  // changes nothing but the file with the locks.
  if (existsSync(`${path}-shm`)) return closing(openAt(path));
  // Without a write-ahead log, the database is a copy that nobody writes to. `immutable` keeps SQLite from creating a log and
  // a file with locks beside it.
  if (!existsSync(`${path}-wal`)) return closing(openAt(new URL(`${pathToFileURL(path).href}?immutable=1`)));
  // The database is a copy with a write-ahead log. SQLite reads the log only after it has created a file with locks, so let
  // it do that in another folder.
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-import-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(path));
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    return closing(openAt(copy), remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function closing(database: DatabaseSync, after: () => void = () => undefined) {
  return {
    database,
    close: () => {
      database.close();
      after();
    },
  };
}

function monitorsIn(database: DatabaseSync, path: string): Row[] {
  // Views and triggers of the file may not call functions with side effects.
  database.exec('PRAGMA trusted_schema = OFF');
  // Only tables are read, because a view in a hostile file could run without end.
  const listed = database.prepare('PRAGMA main.table_list').all();
  const tables = new Set(
    listed.filter(({ type }) => type === 'table').map(({ name }) => String(name).toLowerCase()),
  );
  const present = database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all('monitor')
    .map(({ name }) => String(name));
  if (!tables.has('monitor') || !present.includes('type') || !present.includes('url'))
    throw new KumaDatabaseError(`${path} is not a database of Uptime Kuma: it has no table of monitors.`);
  const columns = Object.entries(COLUMNS).filter(([column]) => present.includes(column));
  const list = columns
    .map(
      ([column, name]) =>
        `${SECRET_COLUMNS.has(column) ? `iif(${column} <> '', 'set', '')` : column} AS ${name}`,
    )
    .join(', ');
  const rows = rowsOf(database, `SELECT ${list} FROM monitor ORDER BY id LIMIT ${MAX_LINES + 1}`);
  if (rows.length > MAX_LINES) throw new KumaDatabaseError(`${path} has more than 10,000 monitors.`);
  const tags = tables.has('tag') && tables.has('monitor_tag') ? tagsIn(database) : new Map<unknown, Row[]>();
  const byId = new Map(rows.map((row) => [row['id'], row]));
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(JSON_COLUMNS.map((name) => [name, parsed(row[name])])),
    active: isActive(row, byId),
    tags: tags.get(row['id']) ?? [],
  }));
}

/** Runs a query. Integers that are too large for a number become text: otherwise a single one would fail the whole query. */
function rowsOf(database: DatabaseSync, query: string): Row[] {
  const statement = database.prepare(query);
  statement.setReadBigInts(true);
  const shown = (value: unknown) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  };
  return statement
    .all()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])));
}

/** Returns whether a monitor and all its groups are active. */
function isActive(row: Row, byId: ReadonlyMap<unknown, Row>): boolean {
  const seen = new Set<Row>();
  for (let each: Row | undefined = row; each && !seen.has(each); each = byId.get(each['parent'])) {
    if (each['active'] === 0) return false;
    seen.add(each);
  }
  return true;
}

function tagsIn(database: DatabaseSync): Map<unknown, Row[]> {
  const rows = rowsOf(
    database,
    `SELECT monitor_id, tag.name, monitor_tag.value FROM monitor_tag JOIN tag ON tag.id = monitor_tag.tag_id
     ORDER BY tag.name LIMIT ${10 * MAX_LINES}`,
  );
  return Map.groupBy(rows, (row) => row['monitor_id']);
}

function parsed(json: unknown): unknown {
  try {
    return typeof json === 'string' ? (JSON.parse(json) as unknown) : null;
  } catch {
    return null;
  }
}

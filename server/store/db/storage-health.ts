import { Kysely, sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type StorageFault, storageFaultOf } from './dialect.ts';
import type { LogSync } from './log-sync.ts';
import { errorMessage } from './postgres-connection.ts';
import { SearchDialect } from './search-dialect.ts';
import type { Tables } from '../schema/tables.ts';

/** The database file of SQLite and its write-ahead log. */
interface EmbeddedFile {
  path: string;
  sync: LogSync;
}

/** Time for which the result of a test write is reused, ms, because anybody may request `/api/health`. */
const TEST_WRITE_EVERY_MS = 10_000;
/** Time in ms for which PostgreSQL's disk counts as full after an error said so. This process cannot test that disk. */
const FULL_FOR_MS = 60_000;

/** What this process knows about the file and the disk of the database. Times are monotonic. */
export class StorageHealth {
  readonly #file: EmbeddedFile | null;
  /** The reason for each fault. Damage and disk failures do not go away, so they stay until the process ends. */
  readonly #seen = new Map<StorageFault, string>();
  #damagedTables: string | null = null;
  #fullAt = -Infinity;
  #testedAt = -Infinity;
  #testWrite: Promise<unknown> = Promise.resolve(null);
  readonly #closing = new AbortController();
  #verification: Promise<unknown> = Promise.resolve();

  /** `file` is the database file of SQLite; null for PostgreSQL. */
  constructor(file: EmbeddedFile | null) {
    this.#file = file;
  }

  /** Records the fault of the file or disk that caused the error of a query, if any. */
  learn(error: unknown): void {
    const fault = storageFaultOf(error);
    if (fault === 'disk_full') {
      this.#fullAt = performance.now();
      // Allow a new test write at once: the last one may have succeeded seconds before the disk was full.
      this.#testedAt = -Infinity;
    }
    if (fault !== null) this.#seen.set(fault, errorMessage(error));
  }

  /** Returns the present faults, each with its reason in one line. Writes a small file beside the embedded database. */
  async faults(): Promise<Map<StorageFault, string>> {
    const faults = new Map(this.#seen);
    if (this.#file === null) {
      if (performance.now() - this.#fullAt > FULL_FOR_MS) faults.delete('disk_full');
      return faults;
    }
    faults.delete('disk_full');
    if (performance.now() - this.#testedAt > TEST_WRITE_EVERY_MS) {
      this.#testedAt = performance.now();
      this.#testWrite = writeTestFile(dirname(this.#file.path)).catch((error: unknown) => error);
    }
    const refusal = await this.#testWrite;
    if (refusal) faults.set(storageFaultOf(refusal) ?? 'disk_failed', errorMessage(refusal));
    if (this.#file.sync.failure !== null) faults.set('disk_failed', this.#file.sync.failure.message);
    if (this.#damagedTables !== null) faults.set('database_damaged', this.#damagedTables);
    return faults;
  }

  /**
   * Reads every page of the SQLite file in the background, to detect damage before somebody needs the data. Returns false if
   * `close` stopped this before the end. PostgreSQL verifies its pages itself, if checksums are on.
   */
  async verify(): Promise<boolean> {
    const file = this.#file;
    if (file === null) return true;
    const verification = this.#verifyAfter(this.#verification, file.path);
    this.#verification = verification;
    return verification;
  }

  async #verifyAfter(earlier: Promise<unknown>, path: string): Promise<boolean> {
    await earlier.catch(() => undefined);
    if (this.#closing.signal.aborted) return false;
    const damaged = await findDamagedTables(path, this.#closing.signal);
    if (damaged === undefined) return false;
    this.#damagedTables = damaged;
    return true;
  }

  /** Stops a verification after the table that it is reading. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#verification.catch(() => undefined);
  }
}

/** Size of the test file in bytes: as large as a large transaction, because a full disk may still accept a small file. */
const TEST_BYTES = 65_536;

/** Writes a file to the disk of `folder` and deletes it. Rejects with the system's error, such as ENOSPC or EROFS. */
export async function writeTestFile(folder: string): Promise<void> {
  const path = join(folder, `.write-${randomBytes(6).toString('hex')}`);
  try {
    // Write a real file: permission bits do not show read-only file systems and some restrictions of network shares.
    await writeFile(path, Buffer.alloc(TEST_BYTES, 1), { flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Runs `PRAGMA quick_check` on each table of an SQLite file, in a thread. Returns one line about the damage, null if there is
 * none, or undefined if `stopping` aborts.
 */
async function findDamagedTables(path: string, stopping: AbortSignal): Promise<string | null | undefined> {
  const db = new Kysely<Tables>({ dialect: new SearchDialect(path) });
  const damaged: string[] = [];
  try {
    const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
      db,
    );
    for (const name of ['sqlite_schema', ...tables.rows.map((table) => table.name)]) {
      const startedAt = performance.now();
      const damage = await damageOf(db, name);
      if (damage !== null) damaged.push(`${name} (${damage})`);
      // Pause after each table for as long as reading it took. The write-ahead log can only be emptied while nobody reads.
      await delay(performance.now() - startedAt, undefined, { signal: stopping, ref: false }).catch(
        () => undefined,
      );
      if (stopping.aborted) return undefined;
    }
  } catch (error) {
    if (storageFaultOf(error) !== 'database_damaged') throw error;
    damaged.push(errorMessage(error));
  } finally {
    await db.destroy();
  }
  return damaged.length === 0 ? null : `Damaged: ${damaged.join(', ')}.`;
}

async function damageOf(db: Kysely<Tables>, table: string): Promise<string | null> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(${sql.table(table)})`.execute(db);
    const first = rows[0]?.quick_check ?? 'no answer';
    return first === 'ok' ? null : first.replaceAll(/\s+/g, ' ');
  } catch (error) {
    if (storageFaultOf(error) !== 'database_damaged') throw error;
    return errorMessage(error);
  }
}

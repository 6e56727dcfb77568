import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const syncData: (file: number) => Promise<void> = promisify(fdatasync);

/** Error of every write after the first failure of the disk. */
export class DiskFailure extends Error {
  override name = 'DiskFailure';

  constructor(cause: unknown) {
    super(
      `The disk of the database failed, so nothing is written until a restart (${cause instanceof Error ? cause.message : String(cause)}).`,
      { cause },
    );
  }
}

/**
 * Makes commits survive power loss, as SQLite does with `synchronous = FULL`, but without blocking the thread: it writes the
 * write-ahead log to the disk in libuv's threads. Commits that come meanwhile share the next write.
 */
export class LogSync {
  readonly #path: string;
  #log: number | null = null;
  readonly #sync: (file: number) => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failure: DiskFailure | null = null;

  /** `path`: the database file. `sync`: what writes a file to the disk; tests pass their own. */
  constructor(path: string, sync = syncData) {
    this.#path = path;
    this.#sync = sync;
  }

  /** The first failure of the disk; null if there was none. */
  get failure(): DiskFailure | null {
    return this.#failure;
  }

  /**
   * Resolves once everything that was committed before this call is on the disk. Rejects with a DiskFailure if the disk fails, and
   * every time after that.
   */
  wait(): Promise<void> {
    this.#next ??= this.#startAfter(this.#running);
    return this.#next;
  }

  /**
   * Remembers that a write to the disk failed. The system then counts the lost pages as written, so a later fdatasync
   * succeeds without them.
   */
  fail(error: unknown): DiskFailure {
    return (this.#failure ??= new DiskFailure(error));
  }

  /** @throws DiskFailure if the disk has failed */
  refuseAfterFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  async #startAfter(earlier: Promise<void> | null): Promise<void> {
    // The sync that runs now may have begun before the latest commits, so wait for it and sync again.
    await earlier?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = null;
    this.refuseAfterFailure();
    try {
      await this.#sync((this.#log ??= this.#open()));
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** Opens the log, which exists from the first commit to the end of the last connection. */
  #open(): number {
    // A new log must not lose its name either.
    const folder = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    return openSync(`${this.#path}-wal`, 'r+');
  }

  /** Closes the log once the disk writes that were asked for have ended: they need the file. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    if (this.#log !== null) closeSync(this.#log);
    this.#log = null;
  }
}

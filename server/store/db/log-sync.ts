import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const syncData: (file: number) => Promise<void> = promisify(fdatasync);

/** Thrown by the first write that the disk could not store, and by every later write. */
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
 * Makes commits survive power loss, as SQLite does with `synchronous = FULL`, but without blocking the thread: libuv's threads
 * write the write-ahead log to the disk. Commits that come during a disk write share the next one.
 */
export class LogSync {
  readonly #path: string;
  #log: number | null = null;
  readonly #sync: (file: number) => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failure: DiskFailure | null = null;

  /** `path` is the database file. `sync` writes a file to the disk; tests pass their own function. */
  constructor(path: string, sync = syncData) {
    this.#path = path;
    this.#sync = sync;
  }

  /** The first failure of the disk; null if there was none. */
  get failure(): DiskFailure | null {
    return this.#failure;
  }

  /**
   * Resolves once everything committed before this call is on the disk. Rejects with a DiskFailure if the disk fails or has
   * failed before.
   */
  wait(): Promise<void> {
    this.#next ??= this.#startAfter(this.#running);
    return this.#next;
  }

  /**
   * Remembers that a write to the disk failed. The operating system then treats the lost pages as written, so a later fdatasync
   * would succeed although they are missing.
   */
  fail(error: unknown): DiskFailure {
    return (this.#failure ??= new DiskFailure(error));
  }

  /** @throws DiskFailure if the disk has failed */
  refuseAfterFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  async #startAfter(earlier: Promise<void> | null): Promise<void> {
    // The sync in progress may have begun before the latest commits: wait for it and sync again.
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
    // Sync the folder too, because power loss could remove the directory entry of a new file.
    const folder = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    return openSync(`${this.#path}-wal`, 'r+');
  }

  /** Closes the log after all requested disk writes, because they need the open file. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    if (this.#log !== null) closeSync(this.#log);
    this.#log = null;
  }
}

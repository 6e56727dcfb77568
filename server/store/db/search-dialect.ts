import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryCompiler,
  type QueryResult,
  SqliteDialect,
} from 'kysely';
import { Worker } from 'node:worker_threads';
import { SqliteCompiler } from './long-lists.ts';

/** Memory limits of the thread in MB, enough for the ids of some hundred thousand monitors. */
const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256, stackSizeMb: 1 };

/**
 * Kysely dialect that runs searches of the SQLite file `path` in a thread. SQLite answers synchronously, so on the main
 * thread one slow search would delay all other requests. The thread starts with the first query.
 */
export class SearchDialect extends SqliteDialect {
  readonly #path: string;

  constructor(path: string) {
    super({ database: () => Promise.reject(new Error('The driver of this dialect opens the database.')) });
    this.#path = path;
  }

  override createDriver(): Driver {
    return new SearchDriver(this.#path);
  }

  override createQueryCompiler(): QueryCompiler {
    return new SqliteCompiler();
  }
}

/** Driver with one connection, because Kysely's SQLite adapter runs one query at a time. */
class SearchDriver implements Driver, DatabaseConnection {
  readonly #path: string;
  #thread: Worker | null = null;
  #answer: PromiseWithResolvers<unknown[]> | null = null;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {
    // Nothing to do: the first query starts the thread. Small installations hardly ever search.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this;
  }

  async releaseConnection(): Promise<void> {
    // Nothing to release: the thread keeps its connection.
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const thread = (this.#thread ??= this.#start());
    const answer = Promise.withResolvers<unknown[]>();
    this.#answer = answer;
    thread.ref();
    thread.postMessage({ sql, parameters });
    try {
      return { rows: (await answer.promise) as Row[] };
    } finally {
      thread.unref();
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./search-thread.ts', import.meta.url), {
      workerData: this.#path,
      resourceLimits: MEMORY,
    });
    thread.on(
      'message',
      ({ rows, error, errcode }: { rows: unknown[]; error?: Error; errcode?: unknown }) => {
        if (error === undefined) this.#answer?.resolve(rows);
        else this.#answer?.reject(Object.assign(error, { errcode }));
      },
    );
    // Forget the thread, so that the next query starts another one.
    const fail = (error: Error): void => {
      this.#thread = null;
      this.#answer?.reject(error);
    };
    thread.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
    thread.on('exit', () => fail(new Error('The search thread has ended.')));
    return thread;
  }

  streamQuery(): never {
    throw new Error('This dialect does not stream rows.');
  }

  readonly beginTransaction = rejectTransaction;
  readonly commitTransaction = rejectTransaction;
  readonly rollbackTransaction = rejectTransaction;

  /** Ends the thread after its current query. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (thread === null) return;
    // Keep the process running until the thread has closed the database.
    thread.ref();
    await new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
      thread.postMessage(null);
    });
  }
}

const rejectTransaction = (): Promise<void> =>
  Promise.reject(new Error('Searches are read-only and have no transactions.'));

import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// This thread searches the embedded database. It runs one statement per message and ends when it receives `null`.

const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 10_000 });
database.exec('PRAGMA cache_size = -8000');

parentPort?.on('message', (query: { sql: string; parameters: SQLInputValue[] } | null) => {
  if (query === null) {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    parentPort?.postMessage({ rows: database.prepare(query.sql).all(...query.parameters) });
  } catch (error) {
    // `postMessage` drops the code of an error, so send it separately.
    parentPort?.postMessage({ error, errcode: error instanceof Error && Reflect.get(error, 'errcode') });
  }
});

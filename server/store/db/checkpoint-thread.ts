import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Interval between checkpoints. Many checks write thousands of WAL frames per second, and frequent checkpoints keep each one
 * small.
 */
const INTERVAL_MS = 500;

const database = new DatabaseSync(String(workerData), { timeout: 0 });
const timer = setInterval(() => {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    // The database may be locked or the disk full. The next interval tries again.
    parentPort?.postMessage({ error, errcode: error instanceof Error && Reflect.get(error, 'errcode') });
  }
}, INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
  parentPort?.close();
});

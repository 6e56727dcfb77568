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
    // The next interval tries again, after a lock or on a full disk.
    parentPort?.postMessage({ error, errcode: error instanceof Error && Reflect.get(error, 'errcode') });
  }
}, INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
  parentPort?.close();
});

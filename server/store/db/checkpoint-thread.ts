import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Many checks write thousands of WAL frames per second. Frequent checkpoints keep each one small. */
const INTERVAL_MS = 500;

const database = new DatabaseSync(String(workerData), { timeout: 0 });
const timer = setInterval(() => {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The next round tries again. A full or failing disk is reported by the next write.
  }
}, INTERVAL_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
  parentPort?.close();
});

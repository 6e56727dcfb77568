import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Frames come by the thousand in a second of many checks; what waits to be carried over stays that small. */
const EVERY_MS = 500;

const database = new DatabaseSync(String(workerData), { timeout: 0 });
const timer = setInterval(() => {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // A disk that is full or fails meets whoever writes; the next round tries again.
  }
}, EVERY_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  database.close();
  parentPort?.close();
});

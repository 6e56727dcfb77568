import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs';

/** A message that arrived at a receiver. */
export interface LedgerEntry {
  /** Message-ID without angle brackets, or webhook-id; retries have the same one. */
  id: string;
  /** The recipient's address, or the path of the webhook. */
  to: string;
  /** The subject, or the body of the webhook. */
  text: string;
  /** Arrival by the receiver's clock, ms UTC. */
  at: number;
  /** False if the receiver dropped the connection instead of acknowledging the message. */
  told: boolean;
}

/** Opens a ledger. `keep` returns after fsync, so that an entry is on disk before the message is acknowledged. */
export function createLedgerFile(path: string): { keep(entry: LedgerEntry): void; close(): void } {
  const file = openSync(path, 'a');
  return {
    keep(entry) {
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

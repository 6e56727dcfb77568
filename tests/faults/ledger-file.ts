import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs';

/** A message that arrived at a receiver. */
export interface LedgerEntry {
  /** Message-ID without angle brackets, or webhook-id; retries have the same one. */
  id: string;
  /** Recipient's address, or path of the webhook. */
  to: string;
  /** Subject of the mail, or body of the webhook. */
  text: string;
  /** Time of arrival by the receiver's clock, ms UTC. */
  at: number;
  /** Whether the receiver acknowledged the message; false if it dropped the connection instead. */
  acknowledged: boolean;
}

/** Opens a ledger file. `keep` returns after fsync, so that an entry is on disk before the message is acknowledged. */
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

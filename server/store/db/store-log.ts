/** Where the store tells what it survived; pino's logger fits. */
export interface StoreLog {
  warn(details: object, message: string): void;
}

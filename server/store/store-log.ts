/** Where the store tells what it survived; pino's logger fits. */
export interface StoreLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

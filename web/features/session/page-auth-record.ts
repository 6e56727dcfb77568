import { createAuthRecord } from './auth-record.ts';

/** The record of this page load. */
export const authRecord = createAuthRecord(
  // Where the page is made as HTML there is none, and nobody is signed in.
  globalThis.sessionStorage,
  (globalThis.crypto as Partial<Crypto>).subtle,
);

import { createAuthRecord } from './auth-record.ts';

/** The record of this page load. */
export const authRecord = createAuthRecord(window.sessionStorage, (window.crypto as Partial<Crypto>).subtle);

import { z } from 'zod';
import type { CurrentUser } from '../../lib/account/current-user.ts';

export const AUTH_RECORD_KEY = 'authToken';
const IV_BYTES = 12;

const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  fullName: z.string(),
  photoUrl: z.string().nullable(),
  paddleId: z.string(),
  companyName: z.string(),
  timeZone: z.string().nullable(),
});

/** Profile fields for the page; never tokens or permissions. */
export interface AuthRecord {
  store(user: CurrentUser): Promise<void>;
  /** Reads the record. Resolves to null if there is none. Throws if the record is malformed or from before this page load. */
  read(): Promise<CurrentUser | null>;
  remove(): void;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/**
 * Creates the auth record. It stores `base64(iv).base64(AES-GCM of the profile)` in session storage. The key exists only during
 * this page load and cannot be exported, so a reload makes the record unreadable. Without WebCrypto (plain HTTP) nothing is stored.
 */
export function createAuthRecord(storage: Storage, subtle: SubtleCrypto | undefined): AuthRecord {
  let key: Promise<CryptoKey> | undefined;
  const keyOf = (crypto: SubtleCrypto) =>
    (key ??= crypto.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']));

  return {
    async store(user) {
      if (!subtle) return;
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const plain = new TextEncoder().encode(JSON.stringify(userSchema.parse(user)));
      const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, await keyOf(subtle), plain);
      storage.setItem(AUTH_RECORD_KEY, `${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`);
    },

    async read() {
      const stored = storage.getItem(AUTH_RECORD_KEY);
      if (stored === null || !subtle) return null;
      const [iv, sealed, ...rest] = stored.split('.');
      if (!iv || !sealed || rest.length > 0) throw new Error('Invalid encrypted token format');
      const plain = await subtle.decrypt(
        { name: 'AES-GCM', iv: fromBase64(iv) },
        await keyOf(subtle),
        fromBase64(sealed),
      );
      return userSchema.parse(JSON.parse(new TextDecoder().decode(plain)));
    },

    remove() {
      storage.removeItem(AUTH_RECORD_KEY);
    },
  };
}

/** The record of this page load. */
export const authRecord = createAuthRecord(
  // During prerendering there is no session storage, and nobody is signed in.
  globalThis.sessionStorage,
  (globalThis.crypto as Partial<Crypto>).subtle,
);

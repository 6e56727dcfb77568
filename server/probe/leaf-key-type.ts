import { KEY_TYPE_NAMES, KEY_TYPES, type KeyType } from '../../contract/words.ts';
import { publicKeyName, RSA_PSS, tryParseCertificate } from '../pki/index.ts';

/** Returns the key type of a chain's leaf; null if it cannot be read, or if TLS has no signatures for its key. */
export function leafKeyType([leaf]: readonly Uint8Array[]): KeyType | null {
  const key = leaf === undefined ? undefined : tryParseCertificate(leaf)?.key;
  if (key === undefined) return null;
  switch (key.type) {
    case 'rsa':
      return key.algorithm === RSA_PSS ? 'rsa-pss' : 'rsa';
    case 'ec':
      return 'ecdsa';
    default: {
      const name = publicKeyName(key);
      return KEY_TYPES.find((keyType) => KEY_TYPE_NAMES[keyType] === name) ?? null;
    }
  }
}

import type { EphemeralKeyInfo } from 'node:tls';

/** OpenSSL's names of the curves that people know by NIST's. */
const NAMES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** The group of a key exchange as people know it: X25519, P-256, X25519MLKEM768; null where there was none. */
export function groupName(key: EphemeralKeyInfo | object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string') return NAMES[key.name] ?? key.name;
  // Finite fields have no name here: on TLS 1.3 they are those of RFC 7919, before it those and others.
  return 'size' in key && typeof key.size === 'number' ? `DH, ${key.size} bits` : null;
}

/** Safe against quantum computers: ML-KEM, alone or beside a classic group. */
export function isPostQuantum(group: string | null): boolean {
  return group?.includes('MLKEM') ?? false;
}

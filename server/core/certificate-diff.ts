import { DAY_MS } from '../../contract/durations.ts';
import { type Certificate, subjectPublicKeyHash } from '../pki/certificate.ts';
import { publicKeyName } from '../pki/public-key.ts';
import { certificateFacts } from './facts.ts';

interface Change<Value> {
  from: Value;
  to: Value;
}

/** The differences between two certificates; null for a field that did not change. All text is untrusted. */
export interface CertificateDiff {
  namesAdded: string[];
  namesLost: string[];
  issuer: Change<string> | null;
  subject: Change<string> | null;
  /** The kind of key, for example 'RSA 2048 bit'. */
  key: Change<string> | null;
  /** Whether both certificates have the same key pair. */
  sameKey: boolean;
  /** The lifetime in days, rounded. */
  lifetimeDays: Change<number> | null;
  signatureAlgorithm: Change<string> | null;
}

/** Compares an older certificate with a newer one, at most 2,000 names of each. */
export function certificateDiff(before: Certificate, after: Certificate): CertificateDiff {
  const [older, newer] = [certificateFacts(before), certificateFacts(after)];
  const [had, has] = [new Set(older.sans), new Set(newer.sans)];
  return {
    namesAdded: newer.sans.filter((name) => !had.has(name)),
    namesLost: older.sans.filter((name) => !has.has(name)),
    issuer: change(older.issuer, newer.issuer),
    subject: change(older.subject, newer.subject),
    key: change(publicKeyName(before.key), publicKeyName(after.key)),
    sameKey: subjectPublicKeyHash(before) === subjectPublicKeyHash(after),
    lifetimeDays: change(lifetimeDays(before), lifetimeDays(after)),
    signatureAlgorithm: change(before.signatureAlgorithm, after.signatureAlgorithm),
  };
}

function change<Value>(from: Value, to: Value): Change<Value> | null {
  return from === to ? null : { from, to };
}

function lifetimeDays({ notBefore, notAfter }: Certificate): number {
  return Math.round((notAfter - notBefore) / DAY_MS);
}

import { type DerReader, TAG } from './der/der.ts';
import { booleanValue, objectIdentifier } from './der/der-values.ts';
import { PkiError } from './pki-error.ts';

const MAX_EXTENSIONS = 256;

export interface Extension {
  readonly critical: boolean;
  /** True if `critical` is encoded although it is false, its default. DER forbids that (X.690 §11.5). */
  readonly writesDefault: boolean;
  /** Content of the OCTET STRING that encodes the extension's value. */
  readonly value: Uint8Array;
}

/** Extensions by OID (dotted decimal), in encoded order. */
export type Extensions = ReadonlyMap<string, Extension>;

/** Reads the content of `SEQUENCE SIZE (1..MAX) OF Extension` (RFC 5280 §4.1). Throws PkiError on malformed input. */
export function readExtensionList(list: DerReader): Extensions {
  const extensions = new Map<string, Extension>();
  if (list.done) throw new PkiError('empty', 'empty list of extensions');
  while (!list.done) {
    const entry = list.enter(TAG.sequence);
    const identifier = objectIdentifier(entry.read());
    const flag = entry.optional(TAG.boolean);
    const value = entry.read(TAG.octetString).content;
    entry.end();
    // RFC 5280 §4.2 allows each extension once. Reject duplicates, because clients disagree on which one they use.
    if (extensions.has(identifier)) throw new PkiError('duplicate', `duplicate extension ${identifier}`);
    if (extensions.size >= MAX_EXTENSIONS) throw new PkiError('too_large', 'too many extensions');
    const critical = flag !== null && booleanValue(flag);
    extensions.set(identifier, { critical, writesDefault: flag !== null && !critical, value });
  }
  return extensions;
}

/** Returns whether any critical extension is not in `known`. */
export function hasUnknownCritical(extensions: Extensions, known: ReadonlySet<string>): boolean {
  return [...extensions].some(([identifier, { critical }]) => critical && !known.has(identifier));
}

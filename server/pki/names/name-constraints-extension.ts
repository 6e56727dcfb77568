import type { DerReader } from '../der/der.ts';
import { contextTag, onlyElement, TAG } from '../der/der.ts';
import { countValue } from '../der/der-values.ts';
import type { GeneralName } from './general-name.ts';
import { readGeneralName, SUBTREE_LENGTHS } from './general-name.ts';
import { PkiError } from '../pki-error.ts';

/** NameConstraints (RFC 5280 §4.2.1.10): base names of the permitted and excluded subtrees. An absent list is empty. */
export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

export function parseNameConstraints(value: Uint8Array): NameConstraints {
  const reader = onlyElement(value, TAG.sequence).open();
  // §4.2.1.10: CAs MUST NOT issue an empty sequence.
  if (reader.done) throw new PkiError('empty', 'name constraints without subtrees');
  const permitted = readSubtrees(reader, 0);
  const excluded = readSubtrees(reader, 1);
  reader.end();
  return { permitted, excluded };
}

function readSubtrees(reader: DerReader, number: number): GeneralName[] {
  const field = reader.optional(contextTag(number, 'constructed'));
  if (field === null) return [];
  const list = field.open();
  if (list.done) throw new PkiError('empty', 'empty list of subtrees');
  const bases: GeneralName[] = [];
  while (!list.done) {
    const subtree = list.enter(TAG.sequence);
    const base = readGeneralName(subtree, SUBTREE_LENGTHS);
    checkBase(base);
    const minimum = subtree.optional(contextTag(0, 'primitive'));
    // §4.2.1.10: minimum must be 0, which DER omits as the default, and maximum must be absent.
    if ((minimum !== null && countValue(minimum) !== 0) || !subtree.done) {
      throw new PkiError('value', 'subtree with a minimum or maximum');
    }
    bases.push(base);
  }
  return bases;
}

/** Throws PkiError for a base that cannot be applied. Ignoring it would silently weaken the constraints. */
function checkBase(base: GeneralName): void {
  if (base.kind === 'ip') {
    const mask = base.octets.subarray(base.octets.length / 2);
    if (!/^1*0*$/.test([...mask].map((octet) => octet.toString(2).padStart(8, '0')).join(''))) {
      throw new PkiError('value', 'subnet mask with a gap');
    }
  } else if (base.kind === 'dns') {
    // Wildcards are invalid, because a base covers its subdomains anyway. Leading dots are common; a profile rule
    // reports them.
    if (!/^\.?(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)?$/i.test(base.value) || base.value === '.') {
      throw new PkiError('value', 'dNSName constraint is no host name');
    }
  }
}

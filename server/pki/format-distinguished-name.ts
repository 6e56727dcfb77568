import { shortAttributeName } from './attribute-types.ts';
import { toHex } from './der-values.ts';
import type { DistinguishedName, NameAttribute } from './distinguished-name.ts';

/**
 * RFC 4514 text: most specific name first, special characters escaped, '' for the empty name. Control characters and
 * invisible or direction-changing ones are escaped too (§2.4 allows it), so the text is safe in logs and mail headers.
 */
export function formatDistinguishedName(name: DistinguishedName): string {
  return name.relativeNames
    .toReversed()
    .map((attributes) => attributes.map(formatAttribute).join('+'))
    .join(',');
}

function formatAttribute({ type, text, encoded }: NameAttribute): string {
  const short = shortAttributeName(type);
  // §2.4: a type in dotted form has its value as the hex of its encoding.
  if (short === null || text === null) return `${short ?? type}=#${toHex(encoded)}`;
  return `${short}=${escapeValue(text)}`;
}

const HIDDEN_OR_SPECIAL = /([\p{Cc}\p{Cf}\u2028\u2029]+)|["+,;<>\\]|^[ #]| $/gu;

function escapeValue(text: string): string {
  return text.replace(HIDDEN_OR_SPECIAL, (found, hidden?: string) =>
    hidden === undefined ? `\\${found}` : escapeOctets(hidden),
  );
}

function escapeOctets(characters: string): string {
  return Buffer.from(characters).toString('hex').toUpperCase().replace(/../g, '\\$&');
}

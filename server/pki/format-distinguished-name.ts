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

const SPECIAL = new Set(['"', '+', ',', ';', '<', '>', '\\']);
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function escapeValue(text: string): string {
  const characters = Array.from(text);
  return characters
    .map((character, index) => {
      if (HIDDEN.test(character)) return escapeOctets(character);
      const first = index === 0 && (character === ' ' || character === '#');
      const last = index === characters.length - 1 && character === ' ';
      return SPECIAL.has(character) || first || last ? `\\${character}` : character;
    })
    .join('');
}

function escapeOctets(character: string): string {
  return [...Buffer.from(character)]
    .map((octet) => `\\${octet.toString(16).padStart(2, '0').toUpperCase()}`)
    .join('');
}

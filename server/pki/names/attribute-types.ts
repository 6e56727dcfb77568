/** Object identifiers by short name: those of RFC 4514 §3, then others from LDAP or common among CAs. */
export const ATTRIBUTE_TYPES: ReadonlyMap<string, string> = new Map([
  ['CN', '2.5.4.3'],
  ['L', '2.5.4.7'],
  ['ST', '2.5.4.8'],
  ['O', '2.5.4.10'],
  ['OU', '2.5.4.11'],
  ['C', '2.5.4.6'],
  ['STREET', '2.5.4.9'],
  ['DC', '0.9.2342.19200300.100.1.25'],
  ['UID', '0.9.2342.19200300.100.1.1'],
  ['SN', '2.5.4.4'],
  ['serialNumber', '2.5.4.5'],
  ['title', '2.5.4.12'],
  ['businessCategory', '2.5.4.15'],
  ['postalCode', '2.5.4.17'],
  ['givenName', '2.5.4.42'],
  ['organizationIdentifier', '2.5.4.97'],
  ['emailAddress', '1.2.840.113549.1.9.1'],
  ['jurisdictionL', '1.3.6.1.4.1.311.60.2.1.1'],
  ['jurisdictionST', '1.3.6.1.4.1.311.60.2.1.2'],
  ['jurisdictionC', '1.3.6.1.4.1.311.60.2.1.3'],
]);

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  [...ATTRIBUTE_TYPES].map(([short, identifier]) => [identifier, short]),
);

/** Returns the short name of an attribute type (dotted identifier), or null if it is not in the table. */
export function shortAttributeName(identifier: string): string | null {
  return SHORT_NAMES.get(identifier) ?? null;
}

import { DAY_MS } from '../../contract/durations.ts';
import {
  derNull,
  integer,
  objectIdentifier,
  printableString,
  sequence,
  set,
  tagged,
  tlv,
} from '../kit/certificates/der-writer.ts';
import { crlDistributionPoints } from '../kit/certificates/certificate-extensions.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  mintKey,
  nameDer,
} from '../kit/certificates/mint.ts';
import { pssKey, pssParameters } from '../kit/certificates/pss.ts';

const UNKNOWN = { oid: '1.3.6.1.4.1.99999.1', value: derNull() };
const oddName = (text: string) => sequence(set(sequence(objectIdentifier('2.5.4.3'), printableString(text))));
const YEAR_MS = 365 * DAY_MS;
const EXPIRED = { notBefore: Date.now() - 2 * YEAR_MS, notAfter: Date.now() - YEAR_MS };
const AHEAD = { notBefore: Date.now() + YEAR_MS };
const policies = (oid: string) => ({ oid: '2.5.29.32', value: sequence(sequence(objectIdentifier(oid))) });
const rawly = (oid: string, value: Uint8Array, critical: boolean): CertificateOptions => ({
  extraExtensions: [{ oid, value, ...(critical && { critical }) }],
});
const purpose = (...identifiers: string[]): CertificateOptions => ({
  extendedKeyUsage: null,
  ...rawly('2.5.29.37', sequence(...identifiers.map((identifier) => objectIdentifier(identifier))), false),
});
const OTHER_NAME = nameDer({ organization: 'Other' });
const mappings = sequence(sequence(objectIdentifier('1.2.3.4'), objectIdentifier('1.2.3.5')));
const explicitPolicy = { oid: '2.5.29.36', value: sequence(tagged(0, false, Buffer.from([0]))) };

/** Trusted roots that differ from ordinary ones in the way that the key describes. */
export const ODD_ROOTS: Readonly<Record<string, CertificateOptions>> = {
  'RSA-1024': { key: 'RSA-1024' },
  'RSA-2047': { key: 'RSA-2047' },
  'P-521': { key: 'P-521' },
  'signed with SHA-1': { hash: 'sha1' },
  'with a corrupt signature': { corruptSignature: true },
  'for anyExtendedKeyUsage': { extendedKeyUsage: ['any'] },
  'for clientAuth': { extendedKeyUsage: ['clientAuth'] },
  'for serverAuth': { extendedKeyUsage: ['serverAuth'] },
  'for emailProtection and codeSigning': { extendedKeyUsage: ['emailProtection', 'codeSigning'] },
  'for Netscape’s gated servers': purpose('2.16.840.1.113730.4.1'),
  'for Microsoft’s gated servers': purpose('1.3.6.1.4.1.311.10.3.3'),
  'for Netscape’s gated servers and emailProtection': purpose('2.16.840.1.113730.4.1', '1.3.6.1.5.5.7.3.4'),
  'with path length 300': { pathLength: 300 },
  'with path length 0': { pathLength: 0 },
  'with path length 1': { pathLength: 1 },
  'without basicConstraints': { basicConstraints: null },
  'without basicConstraints and keyUsage': { basicConstraints: null, keyUsage: null },
  'that is no CA': { certificateAuthority: false },
  'that is no CA and has no keyUsage': { certificateAuthority: false, keyUsage: null },
  'without keyUsage': { keyUsage: null },
  'that may not sign certificates': { keyUsage: ['digitalSignature'] },
  'that may sign CRLs only': { keyUsage: ['cRLSign'] },
  'that has expired': EXPIRED,
  'that is not yet valid': AHEAD,
  'that has expired and is for clientAuth': { ...EXPIRED, extendedKeyUsage: ['clientAuth'] },
  'that has expired and has no basicConstraints': { ...EXPIRED, basicConstraints: null },
  'for clientAuth that permits another name': {
    extendedKeyUsage: ['clientAuth'],
    permitted: { dns: ['other.example'] },
  },
  'of version 1 that has expired': { ...EXPIRED, editFields: (fields) => fields.slice(1, -1) },
  'that permits another name': { permitted: { dns: ['other.example'] } },
  'that permits another directory name': { permitted: { directory: [OTHER_NAME] } },
  'that permits the directory name of the intermediate': {
    permitted: { directory: [nameDer({ organization: 'Certlantern Tests' })] },
  },
  'that excludes the directory name of the intermediate': {
    excluded: { directory: [nameDer({ organization: 'Certlantern Tests' })] },
  },
  'that permits the name': { permitted: { dns: ['example'] } },
  'that excludes the name': { excluded: { dns: ['odd.example'] } },
  'that permits addresses only of another network': { permitted: { ip: ['10.0.0.0/8'] } },
  'that requires a policy': { extraExtensions: [{ ...explicitPolicy, critical: true }] },
  'that requires a policy, not critical': { extraExtensions: [explicitPolicy] },
  'that requires a policy and has one': {
    extraExtensions: [{ ...explicitPolicy, critical: true }, policies('1.3.6.1.4.1.99999.7')],
  },
  'with a policy of its own': { extraExtensions: [policies('1.3.6.1.4.1.99999.7')] },
  'with inhibitAnyPolicy': {
    extraExtensions: [
      { ...explicitPolicy, critical: true },
      { oid: '2.5.29.54', critical: true, value: integer(0n) },
    ],
  },
  'with an explicit FALSE': { extraExtensions: [{ ...UNKNOWN, critical: false }] },
  'with an unknown critical extension': { extraExtensions: [{ ...UNKNOWN, critical: true }] },
  'with a malformed subjectKeyIdentifier': {
    keyIdentifiers: null,
    extraExtensions: [{ oid: '2.5.29.14', value: Buffer.from('0500ff', 'hex') }],
  },
  'with a malformed AIA': {
    extraExtensions: [{ oid: '1.3.6.1.5.5.7.1.1', value: Buffer.from('0500ff', 'hex') }],
  },
  'with malformed policies': { extraExtensions: [{ oid: '2.5.29.32', value: Buffer.from('0500ff', 'hex') }] },
  'of version 1': { editFields: (fields) => fields.slice(1, -1) },
  'with serial number 0': { serialNumber: 0n },
  'with a negative serial number': { serialNumber: -5n },
  'with a PrintableString with @': { subjectDer: oddName('a@b') },
  'without key identifiers': { keyIdentifiers: null },
  'with proxyCertInfo': rawly(
    '1.3.6.1.5.5.7.1.14',
    sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.21.1'))),
    false,
  ),
  'with critical policy constraints': rawly('2.5.29.36', sequence(tagged(1, false, Buffer.from([0]))), true),
  'with critical inhibitAnyPolicy': rawly('2.5.29.54', integer(0n), true),
  'with inhibitAnyPolicy of 256': rawly('2.5.29.54', integer(256n), false),
  'with critical policyMappings': rawly('2.5.29.33', mappings, true),
  'with a critical SKI': {
    keyIdentifiers: null,
    ...rawly('2.5.29.14', tlv(0x04, Buffer.alloc(20, 7)), true),
  },
  'with another SKI': { keyIdentifiers: null, ...rawly('2.5.29.14', tlv(0x04, Buffer.alloc(20, 7)), false) },
  'with a malformed AKI': {
    keyIdentifiers: null,
    ...rawly('2.5.29.35', Buffer.from('0500ff', 'hex'), false),
  },
  'with critical CRL points': rawly('2.5.29.31', crlDistributionPoints(['http://127.0.0.1:9/x']).value, true),
  'with malformed CRL points': rawly('2.5.29.31', Buffer.from('0500ff', 'hex'), false),
  'with an empty AIA': rawly('1.3.6.1.5.5.7.1.1', sequence(), false),
  'with a malformed netscapeCertType': rawly('2.16.840.1.113730.1.1', Buffer.from('0500ff', 'hex'), false),
  'with a netscapeCertType for clients': rawly(
    '2.16.840.1.113730.1.1',
    tlv(0x03, Buffer.from([7, 0x80])),
    false,
  ),
  'with must-staple': rawly('1.3.6.1.5.5.7.1.24', sequence(integer(5n)), false),
  'with constraints on a registeredID': rawly(
    '2.5.29.30',
    sequence(tagged(0, true, sequence(tagged(8, false, Buffer.from([42, 3]))))),
    true,
  ),
  'with constraints that exclude a directory name': rawly(
    '2.5.29.30',
    sequence(tagged(1, true, sequence(tagged(4, true, OTHER_NAME)))),
    true,
  ),
  'with constraints with a minimum': rawly(
    '2.5.29.30',
    sequence(
      tagged(0, true, sequence(tagged(2, false, Buffer.from('example')), tagged(0, false, Buffer.from([0])))),
    ),
    true,
  ),
  'with constraints on an empty name': { permitted: { dns: [''] } },
  'with a critical unknown qualifier': rawly(
    '2.5.29.32',
    sequence(
      sequence(
        objectIdentifier('2.23.140.1.2.1'),
        sequence(sequence(objectIdentifier('1.3.6.1.4.1.99999.3'), printableString('x'))),
      ),
    ),
    true,
  ),
  'valid since 1950': {
    editFields: (fields) =>
      fields.with(
        4,
        sequence(tlv(0x17, Buffer.from('500101000000Z')), tlv(0x17, Buffer.from('370101000000Z'))),
      ),
  },
  'with a critical EKU for clientAuth': rawly(
    '2.5.29.37',
    sequence(objectIdentifier('1.3.6.1.5.5.7.3.2')),
    true,
  ),
};

/** Trusted roots with a key for RSASSA-PSS. */
const PSS_ROOTS: Readonly<Record<string, CertificateOptions>> = {
  'with an RSA-PSS key': { ...pssKey(null), pss: {} },
  'with an RSA-PSS key for salts of 20 bytes': { ...pssKey(pssParameters({ saltBytes: 20 })), pss: {} },
};

const key = mintKey();

/** Pairs of trusted roots with one name, in the order of the store. */
export const TWIN_ROOTS: Readonly<Record<string, readonly [CertificateOptions, CertificateOptions]>> = {
  'with two keys': [{}, {}],
  'with two keys on other curves': [{ key: 'P-256' }, { key: 'RSA-2048' }],
  'with two keys, the first expired': [EXPIRED, {}],
  'with two keys, the second expired': [{}, EXPIRED],
  'with two keys and no key identifiers': [{ keyIdentifiers: null }, { keyIdentifiers: null }],
  'with one key': [{ key }, { key }],
  'with one key, the first expired': [{ key, ...EXPIRED }, { key }],
  'with one key, the second expired': [{ key }, { key, ...EXPIRED }],
  'with one key, the first not yet valid': [{ key, ...AHEAD }, { key }],
  'with one key, the first for another name': [{ key, permitted: { dns: ['other.example'] } }, { key }],
  'with one key, the second for another name': [{ key }, { key, permitted: { dns: ['other.example'] } }],
  'with one key, the first for clientAuth': [{ key, extendedKeyUsage: ['clientAuth'] }, { key }],
  'with one key, the first without keyCertSign': [{ key, keyUsage: ['cRLSign'] }, { key }],
  'with one key, the first no CA': [{ key, certificateAuthority: false, keyUsage: null }, { key }],
  'with one key, the second no CA': [{ key }, { key, certificateAuthority: false, keyUsage: null }],
};

/** CA certificates that users trust although another CA signed them, which no client trusts. */
export const TRUSTED_INTERMEDIATES: Readonly<Record<string, CertificateOptions>> = {
  'that is an intermediate': {},
  'that is an intermediate with path length 0': { pathLength: 0 },
  'that is an intermediate and has expired': EXPIRED,
  'that is an intermediate and permits another name': { permitted: { dns: ['other.example'] } },
  'that is an intermediate and may not sign certificates': { keyUsage: ['digitalSignature'] },
};

const ofServer: CertificateOptions = {
  dnsNames: ['odd.example'],
  notBefore: Date.now() - DAY_MS,
  notAfter: Date.now() + 90 * DAY_MS,
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  certificateAuthority: false,
};

/** Self-signed certificates of servers that users trust. */
export const TRUSTED_LEAVES: Readonly<Record<string, CertificateOptions>> = {
  'self-signed and trusted': ofServer,
  'self-signed and trusted, without basicConstraints': { ...ofServer, basicConstraints: null },
  'self-signed and trusted, and a CA': { ...ofServer, certificateAuthority: true },
  'self-signed and trusted, and expired': { ...ofServer, ...EXPIRED },
  'self-signed and trusted, with an RSA key, and expired': { ...ofServer, ...EXPIRED, key: 'RSA-2048' },
  'self-signed and trusted, and not yet valid': {
    ...ofServer,
    ...AHEAD,
    notAfter: AHEAD.notBefore + YEAR_MS,
  },
};

/** Mints these roots. In the map, each has its description as key; the second root of a pair has the description and `, second`. */
export function mintOddRoots(): Map<string, MintedAuthority> {
  const stranger = mintAuthority({ commonName: 'Unknown Root' });
  const entries: [string, MintedAuthority][] = [];
  for (const [name, options] of Object.entries({
    ...ODD_ROOTS,
    ...PSS_ROOTS,
  }))
    entries.push([name, mintAuthority({ commonName: `Root: ${name}`, ...options })]);
  for (const [name, [first, second]] of Object.entries(TWIN_ROOTS)) {
    const commonName = `Roots: ${name}`;
    entries.push([`${name}: first`, mintAuthority({ commonName, ...first })]);
    entries.push([`${name}: second`, mintAuthority({ commonName, ...second })]);
  }
  for (const [name, options] of Object.entries(TRUSTED_INTERMEDIATES))
    entries.push([name, stranger.intermediate({ commonName: `Root: ${name}`, ...options })]);
  for (const [name, options] of Object.entries(TRUSTED_LEAVES))
    entries.push([name, mintAuthority({ commonName: name, ...options })]);
  return new Map(entries);
}

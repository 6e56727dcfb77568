import {
  authorityInformationAccess,
  authorityKeyIdentifier,
  crlDistributionPoints,
  extendedKeyUsage,
  keyUsage,
  subjectKeyIdentifier,
} from '../kit/certificates/certificate-extensions.ts';
import {
  bitString,
  boolean,
  derNull,
  ia5String,
  integer,
  namedBits,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
  utf8String,
} from '../kit/certificates/der-writer.ts';
import { type CertificateOptions, nameDer } from '../kit/certificates/mint.ts';
import { HOST, intermediateScenario, leafScenario, type Scenario, withChain } from './scenario.ts';

export const OID = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyIdentifier: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
  authorityInformationAccess: '1.3.6.1.5.5.7.1.1',
  noRevAvail: '2.5.29.56',
  tlsFeature: '1.3.6.1.5.5.7.1.24',
  certificateTimestamps: '1.3.6.1.4.1.11129.2.4.2',
  poison: '1.3.6.1.4.1.11129.2.4.3',
  applicationPolicies: '1.3.6.1.4.1.311.21.10',
  certificateTemplate: '1.3.6.1.4.1.311.21.7',
  netscapeCertType: '2.16.840.1.113730.1.1',
  netscapeComment: '2.16.840.1.113730.1.13',
  unknown: '1.3.6.1.4.1.99999.1',
} as const;

/** Options that leave out an extension which certificates have by default. */
export const WITHOUT_EXTENSION = {
  keyUsage: { keyUsage: null },
  extendedKeyUsage: { extendedKeyUsage: null },
  keyIdentifiers: { keyIdentifiers: null },
  subjectAltName: { dnsNames: [] },
  basicConstraints: { basicConstraints: null },
} satisfies Record<string, CertificateOptions>;

export const extra = (oid: string, value: Uint8Array, critical?: boolean): CertificateOptions => ({
  extraExtensions: [{ oid, value, ...(critical !== undefined && { critical }) }],
});

const purposes = (...names: string[]): CertificateOptions => ({ extendedKeyUsage: names });
const policy = (...qualifiers: Buffer[]) =>
  sequence(
    sequence(objectIdentifier('2.23.140.1.2.1'), ...(qualifiers.length > 0 ? [sequence(...qualifiers)] : [])),
  );
const certType = (...bits: number[]) => extra(OID.netscapeCertType, namedBits(bits));
const issuerAddress = authorityInformationAccess(['http://127.0.0.1:9/ca.cer'], []).value;
const crlPoint = crlDistributionPoints(['http://127.0.0.1:9/ca.crl']).value;
const mappings = sequence(sequence(objectIdentifier('1.2.3.4'), objectIdentifier('1.2.3.5')));
export const OTHER_KEY = Buffer.alloc(20, 7);
const otherIssuer = sequence(
  tagged(1, true, tagged(4, true, sequence())),
  tagged(2, false, Buffer.from([1])),
);

/** Servers whose certificates have odd extensions. */
export const EXTENSION_SCENARIOS: readonly Scenario[] = [
  leafScenario('no extendedKeyUsage', WITHOUT_EXTENSION.extendedKeyUsage),
  leafScenario('anyExtendedKeyUsage only', purposes('any')),
  leafScenario('anyExtendedKeyUsage and serverAuth', purposes('any', 'serverAuth')),
  leafScenario('anyExtendedKeyUsage and clientAuth', purposes('any', 'clientAuth')),
  leafScenario('clientAuth only', purposes('clientAuth')),
  leafScenario('codeSigning only', purposes('codeSigning')),
  leafScenario('serverAuth and clientAuth', purposes('serverAuth', 'clientAuth')),
  leafScenario('serverAuth and ocspSigning', purposes('serverAuth', 'ocspSigning')),
  leafScenario('Netscape’s server gated crypto only', purposes('2.16.840.1.113730.4.1')),
  leafScenario('Microsoft’s server gated crypto only', purposes('1.3.6.1.4.1.311.10.3.3')),
  leafScenario('an unknown purpose only', purposes('1.3.6.1.4.1.99999.2')),
  leafScenario('critical extendedKeyUsage', {
    ...WITHOUT_EXTENSION.extendedKeyUsage,
    ...extra(OID.extendedKeyUsage, extendedKeyUsage(['serverAuth']).value, true),
  }),
  intermediateScenario('intermediate for serverAuth', purposes('serverAuth')),
  intermediateScenario('intermediate for clientAuth', purposes('clientAuth')),
  intermediateScenario('intermediate for anyExtendedKeyUsage', purposes('any')),
  intermediateScenario('intermediate for Netscape’s server gated crypto', purposes('2.16.840.1.113730.4.1')),
  intermediateScenario('intermediate for codeSigning', purposes('codeSigning')),

  leafScenario('AKI with another issuer and no serial number', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(
      OID.authorityKeyIdentifier,
      sequence(tagged(1, true, tagged(4, true, nameDer({ commonName: 'Z' })))),
    ),
  }),
  leafScenario(
    'CRL distribution point with reasons only',
    extra(OID.crlDistributionPoints, sequence(sequence(tagged(1, false, Buffer.from([6, 0x40]))))),
  ),
  leafScenario(
    'bytes after the CRL distribution points',
    extra(OID.crlDistributionPoints, Buffer.concat([crlPoint, derNull()])),
  ),
  leafScenario('empty CRL distribution point', extra(OID.crlDistributionPoints, sequence(sequence()))),
  leafScenario(
    'CRL distribution point with a relative name',
    extra(
      OID.crlDistributionPoints,
      sequence(
        sequence(tagged(0, true, tagged(1, true, sequence(objectIdentifier('2.5.4.3'), utf8String('x'))))),
      ),
    ),
  ),
  leafScenario('critical policyMappings in the leaf', extra(OID.policyMappings, mappings, true)),
  intermediateScenario(
    'critical policyMappings of the intermediate',
    extra(OID.policyMappings, mappings, true),
  ),
  intermediateScenario('must-staple in the intermediate only', extra(OID.tlsFeature, sequence(integer(5n)))),
  intermediateScenario(
    'empty CRL distribution points of the intermediate',
    extra(OID.crlDistributionPoints, sequence()),
  ),
  intermediateScenario(
    'critical CRL distribution points of the intermediate',
    extra(OID.crlDistributionPoints, crlPoint, true),
  ),
  intermediateScenario(
    'critical must-staple in the intermediate',
    extra(OID.tlsFeature, sequence(integer(5n)), true),
  ),
  leafScenario('critical freshestCRL', extra(OID.freshestCrl, crlPoint, true)),
  leafScenario(
    'policy with a user notice',
    extra(
      OID.certificatePolicies,
      policy(sequence(objectIdentifier('1.3.6.1.5.5.7.2.2'), sequence(utf8String('x')))),
    ),
  ),
  leafScenario('no key identifiers', WITHOUT_EXTENSION.keyIdentifiers),
  leafScenario('AKI with another key id', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    extraExtensions: [authorityKeyIdentifier(OTHER_KEY)],
  }),
  leafScenario('AKI with another issuer and serial number', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.authorityKeyIdentifier, otherIssuer),
  }),
  intermediateScenario('intermediate without key identifiers', WITHOUT_EXTENSION.keyIdentifiers),
  intermediateScenario('AKI of the intermediate with another key id', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    extraExtensions: [authorityKeyIdentifier(OTHER_KEY)],
  }),
  leafScenario('critical AKI', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.authorityKeyIdentifier, sequence(), true),
  }),
  leafScenario('critical SKI', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.subjectKeyIdentifier, octetString(OTHER_KEY), true),
  }),

  leafScenario('critical AIA', extra(OID.authorityInformationAccess, issuerAddress, true)),
  leafScenario('critical CRL distribution points', extra(OID.crlDistributionPoints, crlPoint, true)),
  leafScenario(
    'critical issuerAltName',
    extra(OID.issuerAltName, sequence(tagged(2, false, Buffer.from('ca.example'))), true),
  ),
  leafScenario('critical noRevAvail', extra(OID.noRevAvail, derNull(), true)),
  leafScenario('noRevAvail', extra(OID.noRevAvail, derNull())),
  leafScenario('unknown critical extension', extra(OID.unknown, derNull(), true)),
  leafScenario('unknown extension', extra(OID.unknown, derNull())),
  leafScenario('unknown extension with an explicit FALSE', extra(OID.unknown, derNull(), false)),
  leafScenario('extendedKeyUsage with an explicit FALSE', {
    ...WITHOUT_EXTENSION.extendedKeyUsage,
    ...extra(OID.extendedKeyUsage, extendedKeyUsage(['serverAuth']).value, false),
  }),
  intermediateScenario('intermediate with an explicit FALSE', extra(OID.unknown, derNull(), false)),
  leafScenario('critical certificate policy', extra(OID.certificatePolicies, policy(), true)),
  leafScenario(
    'critical policy with a CPS',
    extra(
      OID.certificatePolicies,
      policy(sequence(objectIdentifier('1.3.6.1.5.5.7.2.1'), ia5String('https://ca.example/cps'))),
      true,
    ),
  ),
  leafScenario(
    'critical policy with an unknown qualifier',
    extra(
      OID.certificatePolicies,
      policy(sequence(objectIdentifier('1.3.6.1.4.1.99999.3'), utf8String('x'))),
      true,
    ),
  ),
  leafScenario(
    'policy with an unknown qualifier',
    extra(
      OID.certificatePolicies,
      policy(sequence(objectIdentifier('1.3.6.1.4.1.99999.3'), utf8String('x'))),
    ),
  ),
  intermediateScenario(
    'critical policy with an unknown qualifier in the intermediate',
    extra(
      OID.certificatePolicies,
      policy(sequence(objectIdentifier('1.3.6.1.4.1.99999.3'), utf8String('x'))),
      true,
    ),
  ),
  leafScenario(
    'the same policy twice',
    extra(OID.certificatePolicies, sequence(...twice(sequence(objectIdentifier('2.23.140.1.2.1'))))),
  ),
  leafScenario('critical application policies of Microsoft', extra(OID.applicationPolicies, policy(), true)),
  leafScenario('application policies of Microsoft', extra(OID.applicationPolicies, policy())),
  leafScenario('must-staple without a staple', extra(OID.tlsFeature, sequence(integer(5n)))),
  leafScenario('critical must-staple without a staple', extra(OID.tlsFeature, sequence(integer(5n)), true)),
  leafScenario('poison of a precertificate', extra(OID.poison, derNull(), true)),
  leafScenario('nsCertType client only', certType(0)),
  leafScenario('nsCertType server', certType(1)),
  leafScenario('nsCertType mail and CA', certType(2, 5)),
  leafScenario('nsCertType client only, critical', extra(OID.netscapeCertType, namedBits([0]), true)),
  intermediateScenario('nsCertType client in the intermediate', certType(0)),
  intermediateScenario('nsCertType SSL CA in the intermediate', certType(5)),
  intermediateScenario('nsCertType mail CA in the intermediate', certType(6)),
  leafScenario('name constraints in the leaf', { permitted: { dns: ['other.example'] } }),
  leafScenario(
    'policy constraints in the leaf',
    extra(OID.policyConstraints, sequence(tagged(0, false, Buffer.from([0]))), true),
  ),
  intermediateScenario(
    'an explicit policy is required, and the leaf has none',
    extra(OID.policyConstraints, sequence(tagged(0, false, Buffer.from([0]))), true),
  ),

  leafScenario(
    'CRL distribution point with a URL in Latin-1',
    extra(
      OID.crlDistributionPoints,
      sequence(
        sequence(
          tagged(
            0,
            true,
            tagged(0, true, tagged(6, false, Buffer.from('http://b\u00fc.example/', 'latin1'))),
          ),
        ),
      ),
    ),
  ),
  leafScenario(
    'issuer address in Latin-1',
    extra(
      OID.authorityInformationAccess,
      sequence(
        sequence(
          objectIdentifier('1.3.6.1.5.5.7.48.2'),
          tagged(6, false, Buffer.from('http://b\u00fc.example/', 'latin1')),
        ),
      ),
    ),
  ),
  leafScenario('CRL distribution point in LDAP', { crlUrls: ['ldap://127.0.0.1:9/cn=ca'] }),
  leafScenario(
    'timestamps that are too long',
    extra(OID.certificateTimestamps, octetString(Buffer.from('00ff0001', 'hex'))),
  ),
  leafScenario('empty timestamps', extra(OID.certificateTimestamps, octetString(Buffer.from('0000', 'hex')))),
  leafScenario(
    'critical timestamps',
    extra(OID.certificateTimestamps, octetString(Buffer.from('0000', 'hex')), true),
  ),
  leafScenario('keyUsage with trailing zero bits', {
    ...WITHOUT_EXTENSION.keyUsage,
    ...extra(OID.keyUsage, bitString(Buffer.from([0x80, 0]), 0), true),
  }),
  leafScenario('keyUsage of ten bits', {
    ...WITHOUT_EXTENSION.keyUsage,
    ...extra(OID.keyUsage, namedBits([0, 9]), true),
  }),
  leafScenario('extendedKeyUsage with serverAuth twice', purposes('serverAuth', 'serverAuth')),
  leafScenario('critical anyExtendedKeyUsage and serverAuth', {
    ...WITHOUT_EXTENSION.extendedKeyUsage,
    ...extra(OID.extendedKeyUsage, extendedKeyUsage(['any', 'serverAuth']).value, true),
  }),
  leafScenario('SKI of 40 bytes', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    extraExtensions: [subjectKeyIdentifier(Buffer.alloc(40, 1))],
  }),
  leafScenario('empty list of extensions', {
    ...Object.assign({}, ...Object.values(WITHOUT_EXTENSION)),
    dnsNames: [],
  }),
  leafScenario('no AKI', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    extraExtensions: [subjectKeyIdentifier(OTHER_KEY)],
  }),
  leafScenario('critical subjectAltName', {
    ...WITHOUT_EXTENSION.subjectAltName,
    ...extra(OID.subjectAltName, sequence(tagged(2, false, Buffer.from(HOST))), true),
  }),
  leafScenario(
    'private key usage period in the past',
    extra('2.5.29.16', sequence(tagged(1, false, Buffer.from('20200101000000Z')))),
  ),
  leafScenario(
    'critical private key usage period',
    extra('2.5.29.16', sequence(tagged(1, false, Buffer.from('20400101000000Z'))), true),
  ),
  leafScenario('critical subjectInfoAccess', extra('1.3.6.1.5.5.7.1.11', sequence(), true)),
  leafScenario('critical netscapeComment', extra(OID.netscapeComment, ia5String('x'), true)),
  leafScenario('critical SMIME capabilities', extra('1.2.840.113549.1.9.15', sequence(), true)),
  leafScenario('critical subjectDirectoryAttributes', extra('2.5.29.9', sequence(), true)),
  leafScenario(
    'critical certificate template of Microsoft',
    extra(OID.certificateTemplate, sequence(objectIdentifier('1.2.3.4')), true),
  ),
  leafScenario('critical qcStatements', extra('1.3.6.1.5.5.7.1.3', sequence(), true)),
  leafScenario('critical delegation usage', extra('1.3.6.1.4.1.44363.44', derNull(), true)),
  leafScenario('delegation usage', extra('1.3.6.1.4.1.44363.44', derNull())),
  leafScenario('an extension of 60 kB', extra(OID.unknown, octetString(Buffer.alloc(60_000)))),
  intermediateScenario('intermediate with an unknown purpose', purposes('1.3.6.1.4.1.99999.2')),
  intermediateScenario('intermediate with a critical purpose', {
    extraExtensions: [{ ...extendedKeyUsage(['serverAuth']), critical: true }],
  }),
  intermediateScenario(
    'critical SKI of the intermediate',
    {
      ...WITHOUT_EXTENSION.keyIdentifiers,
      extraExtensions: [{ ...subjectKeyIdentifier(OTHER_KEY), critical: true }],
    },
    WITHOUT_EXTENSION.keyIdentifiers,
  ),
  intermediateScenario(
    'critical AIA of the intermediate',
    extra(OID.authorityInformationAccess, issuerAddress, true),
  ),
  intermediateScenario('basicConstraints of the intermediate that are not critical', {
    ...WITHOUT_EXTENSION.basicConstraints,
    ...extra(OID.basicConstraints, sequence(boolean(true))),
  }),
  intermediateScenario('keyUsage of the intermediate that is not critical', {
    ...WITHOUT_EXTENSION.keyUsage,
    extraExtensions: [{ oid: OID.keyUsage, value: keyUsage(['keyCertSign']).value }],
  }),
  intermediateScenario('intermediate with all usages', {
    keyUsage: ['digitalSignature', 'keyCertSign', 'cRLSign', 'keyEncipherment'],
  }),
  intermediateScenario('intermediate with the SAN of the host', { dnsNames: [HOST] }),
  leafScenario('an extension twice', { extraExtensions: twice(extendedKeyUsage(['serverAuth'])).slice(1) }),
  leafScenario('an unknown extension twice', {
    extraExtensions: twice({ oid: OID.unknown, value: derNull() }),
  }),
  leafScenario('no basicConstraints', WITHOUT_EXTENSION.basicConstraints),
  leafScenario('leaf that is a CA', { certificateAuthority: true }),
  leafScenario('leaf that is a CA and may sign certificates', {
    certificateAuthority: true,
    keyUsage: ['digitalSignature', 'keyCertSign'],
  }),
  leafScenario('path length without CA in the leaf', { pathLength: 0 }),
  leafScenario('basicConstraints with an explicit FALSE', {
    ...WITHOUT_EXTENSION.basicConstraints,
    ...extra(OID.basicConstraints, sequence(boolean(false)), true),
  }),
  leafScenario('basicConstraints that are not critical', {
    ...WITHOUT_EXTENSION.basicConstraints,
    ...extra(OID.basicConstraints, sequence()),
  }),
  {
    name: 'a self-signed leaf below its own root’s name',
    mint: ({ ecdsa }) => withChain(ecdsa.issue({ dnsNames: [HOST] })),
  },
];

function twice<Value>(value: Value): Value[] {
  return [value, value];
}

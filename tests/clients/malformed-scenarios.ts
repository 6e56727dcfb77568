import { bitString, derNull, namedBits, octetString, sequence } from '../kit/certificates/der-writer.ts';
import { keyUsage, subjectKeyIdentifier } from '../kit/certificates/certificate-extensions.ts';
import type { CertificateOptions } from '../kit/certificates/mint.ts';
import { extra, OID, OTHER_KEY, WITHOUT_EXTENSION } from './extension-scenarios.ts';
import { intermediateScenario, leafScenario, type Scenario } from './scenario.ts';

/** Bytes that are no valid DER. */
const GARBAGE = Buffer.from('0500ff', 'hex');

/** The extensions that a leaf has by default must be left out before a malformed one takes their place. */
const MALFORMED: Record<string, CertificateOptions> = {
  subjectKeyIdentifier: {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.subjectKeyIdentifier, GARBAGE),
  },
  authorityKeyIdentifier: {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.authorityKeyIdentifier, GARBAGE),
  },
  keyUsage: { ...WITHOUT_EXTENSION.keyUsage, ...extra(OID.keyUsage, GARBAGE, true) },
  extendedKeyUsage: {
    ...WITHOUT_EXTENSION.extendedKeyUsage,
    ...extra(OID.extendedKeyUsage, GARBAGE),
  },
  subjectAltName: { ...WITHOUT_EXTENSION.subjectAltName, ...extra(OID.subjectAltName, GARBAGE) },
  basicConstraints: {
    ...WITHOUT_EXTENSION.basicConstraints,
    ...extra(OID.basicConstraints, GARBAGE, true),
  },
  ...Object.fromEntries(
    (
      [
        'issuerAltName',
        'nameConstraints',
        'crlDistributionPoints',
        'certificatePolicies',
        'policyMappings',
        'policyConstraints',
        'freshestCrl',
        'inhibitAnyPolicy',
        'authorityInformationAccess',
        'tlsFeature',
        'certificateTimestamps',
        'netscapeCertType',
        'netscapeComment',
        'applicationPolicies',
        'certificateTemplate',
        'unknown',
      ] as const
    ).map((name) => [name, extra(OID[name], GARBAGE)]),
  ),
};

const EMPTY: Record<string, CertificateOptions> = {
  extendedKeyUsage: {
    ...WITHOUT_EXTENSION.extendedKeyUsage,
    ...extra(OID.extendedKeyUsage, sequence()),
  },
  crlDistributionPoints: extra(OID.crlDistributionPoints, sequence()),
  authorityInformationAccess: extra(OID.authorityInformationAccess, sequence()),
  certificatePolicies: extra(OID.certificatePolicies, sequence()),
  authorityKeyIdentifier: {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.authorityKeyIdentifier, sequence()),
  },
  subjectKeyIdentifier: {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.subjectKeyIdentifier, octetString(Buffer.alloc(0))),
  },
  subjectAltName: { ...WITHOUT_EXTENSION.subjectAltName, ...extra(OID.subjectAltName, sequence()) },
  issuerAltName: extra(OID.issuerAltName, sequence()),
  nameConstraints: extra(OID.nameConstraints, sequence(), true),
};

/** Servers whose certificates have extensions that are empty or no valid DER. */
export const MALFORMED_SCENARIOS: readonly Scenario[] = [
  ...Object.entries(MALFORMED).map(([name, odd]) => leafScenario(`malformed ${name}`, odd)),
  ...Object.entries(EMPTY).map(([name, odd]) => leafScenario(`empty ${name}`, odd)),
  leafScenario('trailing bytes in keyUsage', {
    ...WITHOUT_EXTENSION.keyUsage,
    ...extra(OID.keyUsage, Buffer.concat([namedBits([0]), derNull()]), true),
  }),
  leafScenario('keyUsage with padding bits set', {
    ...WITHOUT_EXTENSION.keyUsage,
    ...extra(OID.keyUsage, bitString(Buffer.from([0x81]), 5), true),
  }),
  leafScenario('keyUsage that is not critical', {
    ...WITHOUT_EXTENSION.keyUsage,
    extraExtensions: [{ oid: OID.keyUsage, value: keyUsage(['digitalSignature']).value }],
  }),
  intermediateScenario('malformed SKI of the intermediate', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.subjectKeyIdentifier, GARBAGE),
  }),
  intermediateScenario('malformed AKI of the intermediate', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    ...extra(OID.authorityKeyIdentifier, GARBAGE),
  }),
  intermediateScenario(
    'malformed CRL distribution points of the intermediate',
    extra(OID.crlDistributionPoints, GARBAGE),
  ),
  intermediateScenario('malformed AIA of the intermediate', extra(OID.authorityInformationAccess, GARBAGE)),
  intermediateScenario('malformed policies of the intermediate', extra(OID.certificatePolicies, GARBAGE)),
  leafScenario('an OCTET STRING within the octets of the SKI', {
    ...WITHOUT_EXTENSION.keyIdentifiers,
    extraExtensions: [subjectKeyIdentifier(octetString(OTHER_KEY))],
  }),

  intermediateScenario('malformed EKU of the intermediate', extra(OID.extendedKeyUsage, GARBAGE)),
  intermediateScenario('malformed name constraints of the intermediate', extra(OID.nameConstraints, GARBAGE)),
  intermediateScenario('malformed SAN of the intermediate', extra(OID.subjectAltName, GARBAGE)),
];

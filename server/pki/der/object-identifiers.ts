/**
 * Object identifiers of the certificate extensions (RFC 5280 §4.2) that are parsed, checked in rules, or accepted as critical.
 */
export const EXTENSION = {
  subjectDirectoryAttributes: '2.5.29.9',
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
  subjectInformationAccess: '1.3.6.1.5.5.7.1.11',
  proxyCertInfo: '1.3.6.1.5.5.7.1.14',
  tlsFeature: '1.3.6.1.5.5.7.1.24',
  noRevAvail: '2.5.29.56',
  signedCertificateTimestamps: '1.3.6.1.4.1.11129.2.4.2',
  netscapeCertType: '2.16.840.1.113730.1.1',
  applicationPolicies: '1.3.6.1.4.1.311.21.10',
} as const;

/** Object identifiers of the extensions of CRLs and CRL entries (RFC 5280 §5.2, §5.3). */
export const CRL_EXTENSION = {
  issuerAltName: '2.5.29.18',
  crlNumber: '2.5.29.20',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  authorityKeyIdentifier: '2.5.29.35',
  reasonCode: '2.5.29.21',
  certificateIssuer: '2.5.29.29',
} as const;

export const PURPOSE = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  any: '2.5.29.37.0',
} as const;

export const ANY_POLICY = '2.5.29.32.0';
export const CPS_QUALIFIER = '1.3.6.1.5.5.7.2.1';
export const USER_NOTICE = '1.3.6.1.5.5.7.2.2';
export const CA_ISSUERS = '1.3.6.1.5.5.7.48.2';
export const OCSP = '1.3.6.1.5.5.7.48.1';
export const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';

/** Display names and sizes of the named curves (RFC 5480, SEC 2), by OID (dotted decimal). */
export const CURVES: ReadonlyMap<string, { name: string; bits: number }> = new Map([
  ['1.2.840.10045.3.1.7', { name: 'P-256', bits: 256 }],
  ['1.3.132.0.34', { name: 'P-384', bits: 384 }],
  ['1.3.132.0.35', { name: 'P-521', bits: 521 }],
  ['1.2.840.10045.3.1.1', { name: 'P-192', bits: 192 }],
  ['1.3.132.0.33', { name: 'P-224', bits: 224 }],
  ['1.3.132.0.10', { name: 'secp256k1', bits: 256 }],
]);

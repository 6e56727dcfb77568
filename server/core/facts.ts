import {
  type Certificate,
  formatDistinguishedName,
  tryParseCertificate,
  publicKeyName,
  toPem,
} from '../pki/index.ts';
import { oneLine } from './one-line.ts';

/** The data of a certificate that people see. All text is untrusted: escape it wherever it is used. */
export interface CertificateFacts {
  fingerprint: string;
  serialNumber: string;
  issuer: string;
  subject: string;
  notBefore: number;
  notAfter: number;
  authorityName: string;
  /** RFC 4514. */
  authorityFullDn: string;
  /** http or https only. */
  authorityUrl: string | null;
  /** dNSName and iPAddress, at most 2,000. */
  sans: string[];
}

const MAX_SANS = 2_000;

/**
 * Returns the fields of a certificate that the product shows. Missing names fall back in the order that people
 * expect.
 */
export function certificateFacts(certificate: Certificate): CertificateFacts {
  const { issuer, subject, subjectAltNames } = certificate;
  const sans = [...subjectAltNames.dnsNames, ...subjectAltNames.ipAddresses].slice(0, MAX_SANS);
  return {
    fingerprint: certificate.fingerprint,
    serialNumber: certificate.serialNumber,
    issuer: issuer.attribute('CN') ?? issuer.attribute('OU') ?? issuer.attribute('O') ?? '',
    subject: subject.attribute('CN') ?? sans[0] ?? '',
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    authorityName: issuer.attribute('O') ?? issuer.attribute('CN') ?? '',
    authorityFullDn: formatDistinguishedName(issuer),
    authorityUrl: certificate.caIssuersUrls[0] ?? certificate.cpsUrls[0] ?? null,
    sans,
  };
}

/**
 * Returns a name for sentences: subject CN, else its first DNS name, else O, else the first 16
 * digits of the fingerprint.
 */
export function certificateName(certificate: Certificate): string {
  const { subject, subjectAltNames, fingerprint } = certificate;
  const name = subject.attribute('CN') ?? subjectAltNames.dnsNames[0] ?? subject.attribute('O') ?? '';
  return oneLine(name) || fingerprint.slice(0, 16);
}

/** Returns the issuer's name for sentences: CN, else OU, else O. */
export function issuerName({ issuer }: Certificate): string {
  return (
    oneLine(issuer.attribute('CN') ?? issuer.attribute('OU') ?? issuer.attribute('O') ?? '') || 'unnamed'
  );
}

/** A certificate that a server sent, as people see it. All text is untrusted. */
export interface PresentedCertificate extends CertificateFacts {
  /** `root`: its subject is its issuer. The first one is the leaf, whoever issued it. */
  role: 'leaf' | 'intermediate' | 'root';
  /** RFC 4514; the issuer's is `authorityFullDn`. */
  subjectFullDn: string;
  publicKey: string;
  pem: string;
}

/** Parses a chain in the order sent, leaf first; leaves out certificates that cannot be parsed. */
export function readChain(ders: readonly Uint8Array[]): PresentedCertificate[] {
  return ders.flatMap((der, index) => {
    const certificate = tryParseCertificate(der);
    if (certificate === null) return [];
    const facts = certificateFacts(certificate);
    const { subject, selfIssued, key } = certificate;
    return {
      ...facts,
      // Old roots have no common name.
      subject: facts.subject || (subject.attribute('OU') ?? subject.attribute('O') ?? ''),
      role: index === 0 ? 'leaf' : selfIssued ? 'root' : 'intermediate',
      subjectFullDn: formatDistinguishedName(subject),
      publicKey: publicKeyName(key),
      pem: toPem(der),
    };
  });
}

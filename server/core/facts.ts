import { type Certificate, tryParseCertificate } from '../pki/certificate.ts';
import { toPem } from '../pki/der/pem.ts';
import { formatDistinguishedName } from '../pki/names/distinguished-name.ts';
import { publicKeyName } from '../pki/public-key.ts';
import { oneLine } from './one-line.ts';

/** The fields of a certificate that the product shows. All text is untrusted: escape it wherever it is used. */
export interface CertificateFacts {
  fingerprint: string;
  serialNumber: string;
  issuer: string;
  subject: string;
  notBefore: number;
  notAfter: number;
  authorityName: string;
  /** Distinguished name of the issuer as a string (RFC 4514). */
  authorityFullDn: string;
  /** First caIssuers URL, else first CPS URL, http or https only; null if there is none. */
  authorityUrl: string | null;
  /** The dNSName and iPAddress entries of the subject alternative name, at most 2,000. */
  sans: string[];
}

const MAX_SANS = 2_000;

/**
 * Returns the fields of a certificate that the product shows. A missing name is replaced with the next best one, for
 * example the issuer's CN with its OU, else its O.
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
 * Returns a name of the certificate for sentences: subject CN, else its first DNS name, else O, else the first 16 digits of
 * the fingerprint.
 */
export function certificateName(certificate: Certificate): string {
  const { subject, subjectAltNames, fingerprint } = certificate;
  const name = subject.attribute('CN') ?? subjectAltNames.dnsNames[0] ?? subject.attribute('O') ?? '';
  return oneLine(name) || fingerprint.slice(0, 16);
}

/** Returns the issuer's name for sentences: CN, else OU, else O, else "unnamed". */
export function issuerName({ issuer }: Certificate): string {
  return (
    oneLine(issuer.attribute('CN') ?? issuer.attribute('OU') ?? issuer.attribute('O') ?? '') || 'unnamed'
  );
}

/** A certificate that a server sent, with the fields that the product shows. All text is untrusted. */
export interface PresentedCertificate extends CertificateFacts {
  /**
   * Role of the certificate in the chain: the first one is the leaf, whoever issued it; `root` if the subject is the issuer.
   */
  role: 'leaf' | 'intermediate' | 'root';
  /** Distinguished name of the subject as a string (RFC 4514); that of the issuer is `authorityFullDn`. */
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
      // Some old roots have no common name.
      subject: facts.subject || (subject.attribute('OU') ?? subject.attribute('O') ?? ''),
      role: index === 0 ? 'leaf' : selfIssued ? 'root' : 'intermediate',
      subjectFullDn: formatDistinguishedName(subject),
      publicKey: publicKeyName(key),
      pem: toPem(der),
    };
  });
}

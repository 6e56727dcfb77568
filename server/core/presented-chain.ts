import { formatDistinguishedName, parseReadable, publicKeyName, toPem } from '../pki/index.ts';
import { type CertificateFacts, certificateFacts } from './facts.ts';

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
    const certificate = parseReadable(der);
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

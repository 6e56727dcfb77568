import { formatDistinguishedName, parseReadable, publicKeyName, toPem } from '../pki/index.ts';
import { type CertificateFacts, certificateFacts } from './facts.ts';

/** One certificate of what a server sent, as people are shown it. All text is a stranger's. */
export interface PresentedCertificate extends CertificateFacts {
  /** `root`: its subject is its issuer. The first one is the leaf, whoever issued it. */
  role: 'leaf' | 'intermediate' | 'root';
  /** RFC 4514; the issuer's is `authorityFullDn`. */
  subjectFullDn: string;
  publicKey: string;
  pem: string;
}

/** Reads a chain in the order sent, leaf first; what cannot be read is left out. */
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

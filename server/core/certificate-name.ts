import type { Certificate } from '../pki/index.ts';
import { oneLine } from './one-line.ts';

/** What a certificate is called in sentences: subject CN, else its first name, else O, else the start of its fingerprint. */
export function certificateName(certificate: Certificate): string {
  const { subject, subjectAltNames, fingerprint } = certificate;
  const name = subject.attribute('CN') ?? subjectAltNames.dnsNames[0] ?? subject.attribute('O') ?? '';
  return oneLine(name) || fingerprint.slice(0, 16);
}

/** The same for the issuer that a certificate names. */
export function issuerName({ issuer }: Certificate): string {
  return (
    oneLine(issuer.attribute('CN') ?? issuer.attribute('OU') ?? issuer.attribute('O') ?? '') || 'unnamed'
  );
}

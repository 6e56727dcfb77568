import { formatDistinguishedName, tryParseCertificate, PkiError, splitPem } from '../pki/index.ts';
import type { CertificateFacts } from './facts.ts';
import { certificateFacts } from './facts.ts';

/** A certificate authority that an account trusts. */
export interface PrivateAuthority {
  der: Uint8Array;
  facts: AuthorityFacts;
}

/** The shown fields of an authority. `subject` is empty only if the certificate has no usable name. */
export type AuthorityFacts = CertificateFacts & {
  /** Distinguished name of the subject as a string (RFC 4514). */
  subjectFullDn: string;
};

const KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/**
 * Parses the authorities in PEM text, without duplicates. Returns a message instead if there is no certificate, or one that
 * cannot be read or is no authority. Refuses text with a private key before parsing it.
 */
export function readAuthorities(
  pem: string,
): { ok: true; authorities: PrivateAuthority[] } | { ok: false; message: string } {
  if (KEY.test(pem))
    return refuse(
      'This text contains a private key. We stored nothing. Paste only the certificate, and keep the key secret.',
    );
  const ders = certificatesIn(pem);
  if (ders === null)
    return refuse(
      'A certificate in this text is incomplete. Copy all of it, including its first and last line.',
    );
  if (ders.length === 0)
    return refuse(
      'There is no certificate in this text. A certificate begins with -----BEGIN CERTIFICATE-----.',
    );
  const authorities = new Map<string, PrivateAuthority>();
  for (const der of ders) {
    const certificate = tryParseCertificate(der);
    if (certificate === null) return refuse('A certificate in this text cannot be read.');
    const { subject, version, selfIssued, isCertificateAuthority } = certificate;
    const facts = certificateFacts(certificate);
    const name = facts.subject || (subject.attribute('OU') ?? subject.attribute('O') ?? '');
    // Version 1 certificates have no basicConstraints, so old roots are recognised by being self-issued.
    if (!isCertificateAuthority && !(version === 1 && selfIssued))
      return refuse(
        `${name ? `The certificate of ${name}` : 'This certificate'} is not a certificate authority. ${
          selfIssued
            ? 'It is self-signed: have your own authority issue one for this host, and paste that authority’s root.'
            : 'Paste the certificate that issued it.'
        }`,
      );
    const shown = { ...facts, subject: name, subjectFullDn: formatDistinguishedName(subject) };
    authorities.set(facts.fingerprint, { der, facts: shown });
  }
  return { ok: true, authorities: [...authorities.values()] };
}

/** Returns the DER of the certificates in PEM text; null if a PEM block is incomplete. */
function certificatesIn(pem: string): Uint8Array[] | null {
  try {
    return splitPem(pem);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

const refuse = (message: string) => ({ ok: false as const, message });

import { PRIVATE_KEY_BLOCK } from '../../contract/words.ts';
import { pemCertificates } from '../pki/certificate-bundle.ts';
import { type Certificate, tryParseCertificate } from '../pki/certificate.ts';
import { formatDistinguishedName } from '../pki/names/distinguished-name.ts';
import { parseIpAddress } from '../pki/names/ip-address.ts';
import { referenceMatcher } from '../pki/names/reference-identifier.ts';
import { PkiError } from '../pki/pki-error.ts';
import { type CertificateFacts, certificateFacts } from './facts.ts';

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

/**
 * Parses the authorities in PEM text, without duplicates. Returns a message instead if there is no certificate, or one that
 * cannot be read or is no authority. Refuses text with a private key before parsing it.
 */
export function readAuthorities(
  pem: string,
): { ok: true; authorities: PrivateAuthority[] } | { ok: false; message: string } {
  const found = readCertificates(pem);
  if (!found.ok) return found;
  const authorities = new Map<string, PrivateAuthority>();
  for (const der of found.ders) {
    const certificate = tryParseCertificate(der);
    if (certificate === null) return refuse('A certificate in this text cannot be read.');
    const refusal = authorityRefusal(certificate);
    if (refusal !== null) return refuse(refusal);
    const { subject } = certificate;
    const facts = certificateFacts(certificate);
    const shown = {
      ...facts,
      subject: shownName(certificate),
      subjectFullDn: formatDistinguishedName(subject),
    };
    authorities.set(facts.fingerprint, { der, facts: shown });
  }
  return { ok: true, authorities: [...authorities.values()] };
}

/** Returns why a certificate is no authority that can be trusted; null if it is one. */
export function authorityRefusal(certificate: Certificate): string | null {
  const { version, selfIssued, isCertificateAuthority } = certificate;
  // Version 1 certificates have no basicConstraints, so old roots are recognised by being self-issued.
  if (isCertificateAuthority || (version === 1 && selfIssued)) return null;
  const name = shownName(certificate);
  return `${name ? `The certificate of ${name}` : 'This certificate'} is not a certificate authority. ${
    selfIssued
      ? 'It is self-signed: have your own authority issue one for this host, and add that authority’s root.'
      : 'Add the certificate that issued it.'
  }`;
}

const shownName = (certificate: Certificate): string =>
  certificateFacts(certificate).subject ||
  (certificate.subject.attribute('OU') ?? certificate.subject.attribute('O') ?? '');

/**
 * Returns whether a certificate belongs to an authority. Old ones have no basicConstraints: version 1 roots are self-issued, and others
 * may sign certificates by their key usage.
 */
function isAuthority({
  isCertificateAuthority,
  basicConstraints,
  keyUsage,
  version,
  selfIssued,
}: Certificate): boolean {
  const mayIssue = basicConstraints === null && keyUsage?.has('keyCertSign') === true;
  return isCertificateAuthority || mayIssue || (version === 1 && selfIssued);
}

/** A certificate that hosts should serve. `names`: whether it is valid for a host (RFC 9525). */
export interface ExpectedCertificate {
  facts: CertificateFacts;
  names(host: string): boolean;
}

/**
 * Finds the certificate of the host in PEM text, such as a `fullchain.pem`: the one that is no authority and issued none of the
 * others. Returns a message instead if there is none or several, or if it has expired at `now` (ms UTC).
 */
export function readExpected(
  pem: string,
  now: number,
): { ok: true; certificate: ExpectedCertificate } | { ok: false; message: string } {
  const found = readCertificates(pem);
  if (!found.ok) return found;
  const all = new Map<string, Certificate>();
  for (const der of found.ders) {
    const certificate = tryParseCertificate(der);
    if (certificate === null) return refuse('A certificate in this text cannot be read.');
    all.set(certificate.fingerprint, certificate);
  }
  // Some old authorities are only recognised by a certificate here that names them as its issuer.
  const issuers = new Set(
    [...all.values()].filter(({ selfIssued }) => !selfIssued).map(({ issuer }) => issuer.comparisonKey),
  );
  const leaves = [...all.values()].filter(
    (certificate) => !isAuthority(certificate) && !issuers.has(certificate.subject.comparisonKey),
  );
  const [certificate] = leaves;
  if (certificate === undefined)
    return refuse(
      'There are only certificate authorities in this text, and hosts serve their own certificate first. Choose the file with ' +
        'the certificate of the host, such as fullchain.pem.',
    );
  if (leaves.length > 1)
    return refuse(
      'There are several certificates of hosts in this text. Send each one by itself, with the certificates of its issuers.',
    );
  if (certificate.notAfter <= now) return refuse('The certificate in this text has expired.');
  const matches = referenceMatcher(certificate);
  return {
    ok: true,
    certificate: {
      facts: certificateFacts(certificate),
      names: (host) =>
        matches(parseIpAddress(host) === null ? { kind: 'dns', name: host } : { kind: 'ip', address: host }),
    },
  };
}

/** Returns the DER of the certificates in PEM text, at least one; refuses text with a private key before parsing it. */
export function readCertificates(
  pem: string,
): { ok: true; ders: Uint8Array[] } | { ok: false; message: string } {
  if (PRIVATE_KEY_BLOCK.test(pem))
    return refuse(
      'This text contains a private key. We stored nothing. Paste only the certificate, and keep the key secret.',
    );
  try {
    const ders = pemCertificates(pem);
    return ders.length > 0 ? { ok: true, ders } : refuse(withoutCertificate(pem));
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    return refuse(
      error.code === 'pem'
        ? 'A certificate in this text is incomplete. Copy all of it, including its first and last line.'
        : 'The PKCS#7 data in this text cannot be read.',
    );
  }
}

/** Says what PEM text contains instead of certificates. */
function withoutCertificate(pem: string): string {
  const [, label = ''] = /-----BEGIN ([A-Z0-9 #]{1,40})-----/.exec(pem) ?? [];
  if (label === 'CERTIFICATE REQUEST' || label === 'NEW CERTIFICATE REQUEST')
    return 'This is a request for a certificate. Choose the certificate that the authority issued for it.';
  if (/PKCS|CMS/.test(label)) return 'There is no certificate in this PKCS#7 data.';
  const instead = label === '' ? '' : `, but ${label}`;
  return `There is no certificate in this text${instead}. A certificate begins with -----BEGIN CERTIFICATE-----.`;
}

const refuse = (message: string) => ({ ok: false as const, message });

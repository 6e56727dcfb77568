import { readFileSync } from 'node:fs';
import { certificateText } from '../contract/files/certificate-text.ts';
import { authorityRefusal, readCertificates } from './core/pasted-certificates.ts';
import { parseCertificate } from './pki/certificate.ts';
import { toPem } from './pki/der/pem.ts';
import { PkiError } from './pki/pki-error.ts';

/**
 * Reads a file of trusted certificates in PEM (also in UTF-16), DER or PKCS#7, and returns them as PEM. Returns a message that names
 * the file if a certificate cannot be read or if none is an authority.
 */
export function readCertificateFile(
  path: string,
): { ok: true; pem: string } | { ok: false; message: string } {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    return { ok: false, message: `${path} cannot be read (${code}).` };
  }
  const file = certificateText(bytes);
  const read = file.ok ? readCertificates(file.text) : file;
  const message = read.ok ? refusalOf(read.ders) : read.message;
  return read.ok && message === null
    ? { ok: true, pem: read.ders.map(toPem).join('') }
    : { ok: false, message: `${path}: ${message}` };
}

/** Returns why these certificates make no host trusted; null if one of them is an authority. Certificates of hosts may be among them. */
function refusalOf(ders: readonly Uint8Array[]): string | null {
  try {
    const refusals = ders.map((der) => authorityRefusal(parseCertificate(der)));
    return refusals.includes(null) ? null : (refusals[0] ?? null);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    return `A certificate in this file cannot be read (${error.message}).`;
  }
}

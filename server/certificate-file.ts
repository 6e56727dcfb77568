import { readFileSync } from 'node:fs';
import { certificateText } from '../contract/files/certificate-text.ts';
import { readCertificates } from './core/index.ts';
import { toPem } from './pki/index.ts';

/**
 * Reads a file of trusted certificates: PEM, also in UTF-16, DER or PKCS#7. Returns them as PEM, or the reason why the file cannot be
 * used, which names it. Does not parse the certificates.
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
  return read.ok
    ? { ok: true, pem: read.ders.map(toPem).join('') }
    : { ok: false, message: `${path}: ${read.message}` };
}

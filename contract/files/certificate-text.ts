import { fileText } from './file-text.ts';
import { PRIVATE_KEY_BLOCK } from '../words.ts';

const KEY_REFUSAL =
  'This contains a private key. Nothing was sent or stored. Choose only the certificate, and keep the key secret.';

export type CertificateText = { ok: true; text: string } | { ok: false; message: string };

/**
 * Returns the PEM text of a certificate file: text in UTF-8 or UTF-16, a certificate in DER, or PKCS#7 (`.p7b`). Returns a
 * message for any other file. Runs in the browser or the command, so that private keys never leave the machine.
 */
export function certificateText(bytes: Uint8Array): CertificateText {
  const der = isDer(bytes) ? kindOfDer(bytes) : null;
  if (der !== null) return 'label' in der ? { ok: true, text: pemOf(der.label, bytes) } : refuse(der.message);
  if (KEYSTORES.some((magic) => magic.every((byte, index) => bytes[index] === byte)))
    return refuse('This is a Java keystore. Export the certificate from it: keytool -exportcert -rfc.');
  const decoded = fileText(bytes);
  if (decoded === null)
    return refuse('This is neither text nor a certificate. Choose a file in PEM, DER or PKCS#7 form.');
  return PRIVATE_KEY_BLOCK.test(decoded.text) ? refuse(KEY_REFUSAL) : { ok: true, text: decoded.text };
}

const [INTEGER, OBJECT_IDENTIFIER, SEQUENCE, VERSION] = [0x02, 0x06, 0x30, 0xa0];
/** First bytes of the two formats of Java keystores, JKS and JCEKS. */
const KEYSTORES = [
  [0xfe, 0xed, 0xfe, 0xed],
  [0xce, 0xce, 0xce, 0xce],
];
/** 1.2.840.113549.1.7.2, the content type of a PKCS#7 file with certificates (RFC 5652 §5.1). */
const SIGNED_DATA = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];

function isDer(bytes: Uint8Array): boolean {
  const [tag, length = 0] = bytes;
  // 0x30 is also the digit 0, so a short file counts as DER only if its length field matches.
  return tag === SEQUENCE && (length >= 0x80 || length + 2 === bytes.length);
}

/** Returns what kind of DER file this is, or why it is refused. Looks at the first elements only. */
function kindOfDer(bytes: Uint8Array): { label: string } | { message: string } {
  const outer = contentStart(bytes, 0);
  const tag = bytes[outer];
  const inner = contentStart(bytes, outer);
  if (tag === OBJECT_IDENTIFIER)
    return SIGNED_DATA.every((byte, index) => bytes[inner + index] === byte)
      ? { label: 'PKCS7' }
      : { message: 'This PKCS#7 file is encrypted or has no certificates.' };
  if (tag === INTEGER)
    return bytes[inner] === 3
      ? {
          message:
            'This is a PKCS#12 file, which usually contains a private key. Nothing was sent or stored. Export only the ' +
            'certificate: openssl pkcs12 -in FILE -nokeys.',
        }
      : { message: KEY_REFUSAL };
  // A certificate begins with its version, or in version 1 with its serial number. An encrypted key begins with its
  // algorithm.
  if (tag === SEQUENCE && (bytes[inner] === VERSION || bytes[inner] === INTEGER)) {
    if (bytes[inner] === INTEGER && isRequest(bytes, inner))
      return {
        message:
          'This is a request for a certificate. Choose the certificate that the authority issued for it.',
      };
    if (isCertificateAt(bytes, elementEnd(bytes, 0)))
      return {
        message: 'This file has several certificates in DER form. Write each as PEM, one after another.',
      };
    return { label: 'CERTIFICATE' };
  }
  if (tag === SEQUENCE && bytes[inner] === OBJECT_IDENTIFIER)
    return { message: 'This is a key and not a certificate. Nothing was sent or stored.' };
  return { message: 'This is not a certificate. Choose a file in PEM, DER or PKCS#7 form.' };
}

/**
 * Returns whether the DER is a certificate request (RFC 2986 §4.1): after the version at `start` it has a name, where a certificate
 * has a serial number or an algorithm.
 */
function isRequest(bytes: Uint8Array, start: number): boolean {
  const next = elementEnd(bytes, start);
  return bytes[next] === SEQUENCE && bytes[contentStart(bytes, next)] !== OBJECT_IDENTIFIER;
}

function isCertificateAt(bytes: Uint8Array, start: number): boolean {
  const outer = contentStart(bytes, start);
  const first = bytes[contentStart(bytes, outer)];
  return bytes[start] === SEQUENCE && bytes[outer] === SEQUENCE && (first === VERSION || first === INTEGER);
}

/** Returns where the element at `start` ends. If its length is indefinite, returns where its content begins. */
function elementEnd(bytes: Uint8Array, start: number): number {
  const [content, first = 0] = [contentStart(bytes, start), bytes[start + 1]];
  if (first <= 0x80) return content + (first & 0x7f);
  return content + bytes.subarray(start + 2, content).reduce((length, byte) => length * 256 + byte, 0);
}

/** Returns where the content of the element at `start` begins. */
function contentStart(bytes: Uint8Array, start: number): number {
  const length = bytes[start + 1] ?? 0;
  return start + 2 + (length > 0x80 ? length & 0x7f : 0);
}

function pemOf(label: string, bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const lines = btoa(binary).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

const refuse = (message: string) => ({ ok: false as const, message });

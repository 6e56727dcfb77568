import { PkiError } from '../pki-error.ts';

const MAX_TEXT_LENGTH = 8 * 1024 * 1024;
const MAX_BLOCKS = 10_000;
const BLOCKS = {
  certificate: {
    whole:
      /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE|PKCS7|PKCS #7 SIGNED DATA|CMS)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g,
    begin: /-----BEGIN (?:(?:X509 |TRUSTED )?CERTIFICATE|PKCS7|PKCS #7 SIGNED DATA|CMS)-----/g,
  },
  crl: {
    whole: /-----BEGIN (X509 CRL)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g,
    begin: /-----BEGIN X509 CRL-----/g,
  },
} as const;

/** The label of a PEM block and the DER between its BEGIN and END lines. */
export interface PemBlock {
  label: string;
  der: Uint8Array;
}

/**
 * Returns the blocks with certificates (RFC 7468 §5.1, §8, §9) or CRLs (§6) in PEM text, in order. Ignores text around the
 * blocks. Throws PkiError `pem` on an incomplete block or invalid base64, `too_large` over 8 MB or 10,000 blocks.
 */
export function pemBlocks(text: string, kind: keyof typeof BLOCKS): PemBlock[] {
  checkLength(text.length);
  const blocks: PemBlock[] = [];
  for (const [, label = '', body = ''] of text.matchAll(BLOCKS[kind].whole)) {
    if (blocks.length >= MAX_BLOCKS) throw new PkiError('too_large', 'too many PEM blocks');
    const base64 = body.replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) {
      throw new PkiError('pem', 'PEM block is not base64');
    }
    blocks.push({ label, der: new Uint8Array(Buffer.from(base64, 'base64')) });
  }
  const begun = text.match(BLOCKS[kind].begin)?.length ?? 0;
  if (begun !== blocks.length) throw new PkiError('pem', 'incomplete PEM block');
  return blocks;
}

/** Decodes bytes as Latin-1 for `pemBlocks`. Throws PkiError `too_large` over 8 MB, before it allocates the text. */
export function pemText(bytes: Uint8Array): string {
  checkLength(bytes.length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function checkLength(length: number): void {
  if (length > MAX_TEXT_LENGTH) throw new PkiError('too_large', 'PEM text larger than 8 MB');
}

/** Encodes one certificate as PEM with lines of 64 characters and a final newline (RFC 7468 §2). */
export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

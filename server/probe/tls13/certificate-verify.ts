import { X509Certificate } from 'node:crypto';
import { type Certificate, tryParseCertificate } from '../../pki/certificate.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { type PublicKey, RSA_ENCRYPTION, RSA_PSS } from '../../pki/public-key.ts';
import { checkSignature, type SignatureAlgorithm } from '../../pki/signature.ts';
import { Surprise } from './wire.ts';

interface Scheme {
  algorithm: SignatureAlgorithm;
  /** Returns whether the scheme fits the key. In TLS 1.3, an ECDSA scheme also fixes the curve (RFC 8446 §4.2.3). */
  allows: (key: PublicKey) => boolean;
}

type Hash = NonNullable<SignatureAlgorithm['hash']>;

const plain = { name: '', identifier: '', hash: null, pss: null, der: new Uint8Array() };

const PSS = { trailer: 1, writesTrailer: false, lacksNull: false };

const ecdsa = (curve: string, hash: Hash): Scheme => ({
  algorithm: { ...plain, scheme: 'ecdsa', hash },
  allows: (key) => key.type === 'ec' && key.curve === curve,
});

const pss = (keyAlgorithm: string, hash: Hash, saltBytes: number): Scheme => ({
  algorithm: { ...plain, scheme: 'rsa-pss', hash, pss: { ...PSS, hash, maskHash: hash, saltBytes } },
  allows: (key) => key.type === 'rsa' && key.algorithm === keyAlgorithm,
});

const edwards = (identifier: string): Scheme => ({
  algorithm: { ...plain, scheme: 'key', identifier },
  allows: (key) => key.algorithm === identifier,
});

/** Signature schemes permitted in CertificateVerify. PKCS #1 and SHA-1 are not (RFC 8446 §4.2.3). */
const SCHEMES: ReadonlyMap<number, Scheme> = new Map([
  [0x0403, ecdsa('P-256', 'sha256')],
  [0x0503, ecdsa('P-384', 'sha384')],
  [0x0603, ecdsa('P-521', 'sha512')],
  [0x0804, pss(RSA_ENCRYPTION, 'sha256', 32)],
  [0x0805, pss(RSA_ENCRYPTION, 'sha384', 48)],
  [0x0806, pss(RSA_ENCRYPTION, 'sha512', 64)],
  [0x0809, pss(RSA_PSS, 'sha256', 32)],
  [0x080a, pss(RSA_PSS, 'sha384', 48)],
  [0x080b, pss(RSA_PSS, 'sha512', 64)],
  [0x0807, edwards('1.3.101.112')],
  [0x0808, edwards('1.3.101.113')],
]);

const CONTEXT = Buffer.concat([Buffer.alloc(64, 0x20), Buffer.from('TLS 1.3, server CertificateVerify\0')]);

/**
 * Verifies the CertificateVerify: the server has the private key of the leaf (RFC 8446 §4.4.3). `transcript`: hash of the messages up to
 * Certificate. @throws Surprise if the signature is not valid, or if OpenSSL, whose handshake would then fail, cannot decode a certificate
 */
export function requirePossession(
  chain: readonly Uint8Array[],
  { scheme, signature }: { scheme: number; signature: Buffer },
  transcript: Buffer,
): void {
  const [leaf] = chain.map(readableCertificate);
  const known = SCHEMES.get(scheme);
  if (known === undefined || leaf === undefined) throw new Surprise('invalid', 'signature scheme');
  if (!known.allows(leaf.key)) throw new Surprise('invalid', 'signature scheme for the key');
  const signed = Buffer.concat([CONTEXT, transcript]);
  if (checkSignature(known.algorithm, signed, signature, leaf.key) !== 'valid')
    throw new Surprise('invalid', 'signature of CertificateVerify');
}

/** Fingerprints of certificates that OpenSSL has decoded. An entry takes about 150 bytes, and saves decoding the certificate again. */
const decoded = new LruCache<string, true>(20_000);

function readableCertificate(der: Uint8Array): Certificate {
  const certificate = tryParseCertificate(der);
  if (certificate === null) throw new Surprise('malformed', 'certificate');
  if (decoded.get(certificate.fingerprint) === null) {
    try {
      void new X509Certificate(der).publicKey;
    } catch {
      throw new Surprise('malformed', 'certificate that OpenSSL cannot decode');
    }
    decoded.set(certificate.fingerprint, true);
  }
  return certificate;
}

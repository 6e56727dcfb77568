import type { Certificate } from '../../../pki/certificate.ts';
import type { HandshakeObservation } from '../../observation.ts';
import type { ClientRule } from './client-rule.ts';

type Handshake = Pick<
  HandshakeObservation,
  'tlsVersion' | 'cipher' | 'group' | 'legacyTls' | 'rareSignature' | 'alpn'
> & {
  certificate: Certificate;
};

/**
 * Returns whether the server signs the handshake with its key: always in TLS 1.3, with (EC)DHE before. OpenSSL's names of older
 * ciphers begin with ECDHE- or DHE- for these, and with neither for RSA key exchange.
 */
function isSigned({ tlsVersion, cipher }: Handshake): boolean {
  return tlsVersion === 'TLSv1.3' || /^(?:ECDHE|DHE)-/.test(cipher);
}

/** Returns whether the client encrypts a secret with the server's RSA key. False if the server speaks only outdated TLS. */
function isRsaKeyExchange(handshake: Handshake): boolean {
  return !handshake.legacyTls && !isSigned(handshake);
}

/**
 * Returns whether HTTP/2 forbids the cipher (RFC 9113 §9.2.2 and appendix A): in TLS 1.2 it needs an ephemeral key exchange and
 * authenticated encryption.
 */
function isForbiddenInHttp2({ alpn, tlsVersion, cipher, legacyTls }: Handshake): boolean {
  const isAllowed = tlsVersion !== 'TLSv1.2' || /^(?:ECDHE|DHE)-.*(?:GCM|CCM|CHACHA20)/.test(cipher);
  return alpn === 'h2' && !isAllowed && !legacyTls;
}

/** Rules about a leaf and the key exchange that the server chose. */
export const HANDSHAKE_RULES: readonly ClientRule<Handshake>[] = [
  {
    code: 'no_digital_signature',
    clients: ['chromium', 'gnutls', 'java'],
    source: 'measured; RFC 8446 §4.4.2.2',
    applies: (handshake) =>
      handshake.certificate.keyUsage?.has('digitalSignature') === false && isSigned(handshake),
  },
  {
    code: 'no_key_encipherment',
    clients: ['chromium', 'gnutls'],
    source: 'measured; RFC 5246 §7.4.2',
    applies: (handshake) =>
      handshake.certificate.keyUsage?.has('keyEncipherment') === false && isRsaKeyExchange(handshake),
  },
  {
    code: 'rsa_key_exchange',
    clients: ['go', 'java'],
    source: 'measured for Java; release notes of Go 1.22',
    applies: isRsaKeyExchange,
  },
  {
    code: 'rare_signature',
    clients: ['chromium', 'apple'],
    source: 'measured; public captures of Safari offer no ecdsa_secp521r1_sha512 either',
    // For keys on other curves, the rules about key types report it.
    applies: ({ rareSignature, certificate: { key } }) =>
      rareSignature === true && key.type === 'ec' && key.curve !== 'P-521',
  },
  {
    code: 'rare_group',
    clients: ['chromium'],
    source: 'measured',
    applies: ({ group }) => group === 'P-521',
  },
  {
    code: 'rare_group',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ group }) => group === 'X448',
  },
  {
    code: 'rare_group',
    clients: ['chromium', 'go'],
    source: 'measured',
    applies: ({ group, tlsVersion }) => tlsVersion === 'TLSv1.3' && group?.startsWith('DH,') === true,
  },
  {
    code: 'rare_group',
    clients: ['java', 'gnutls'],
    source: 'measured; OpenSSL offers ML-KEM since 3.5, Go since 1.24',
    applies: ({ group }) => group?.includes('MLKEM') === true,
  },
  {
    code: 'http2_cipher',
    clients: ['chromium', 'firefox'],
    source: 'measured; IsTLSCipherSuiteAllowedByHTTP2 in Chromium, ConfirmTLSProfile in Firefox',
    applies: isForbiddenInHttp2,
  },
];

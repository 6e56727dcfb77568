import { DAY_MS } from '../../../../contract/durations.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { PURPOSE } from '../../../pki/der/object-identifiers.ts';
import type { HandshakeObservation } from '../../observation.ts';
import { rulesOf } from '../../rules/dated-rules.ts';
import type { ClientRule } from './client-rule.ts';

type Handshake = Pick<
  HandshakeObservation,
  'tlsVersion' | 'cipher' | 'group' | 'legacyTls' | 'rareSignature' | 'alpn'
> & {
  certificate: Certificate;
};

/**
 * Returns whether the server signs the handshake with its key: always in TLS 1.3; in older versions only with (EC)DHE, for which OpenSSL's cipher
 * names begin with ECDHE- or DHE-, and not with RSA key exchange.
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
export const HANDSHAKE_RULES = [
  {
    code: 'no_digital_signature',
    why: 'its key usage lacks digitalSignature, which this handshake needs',
    fix: 'Have the certificate reissued with the key usage digitalSignature.',
    clients: ['chromium', 'gnutls', 'java'],
    source: 'measured; RFC 8446 §4.4.2.2',
    applies: (handshake) =>
      handshake.certificate.keyUsage?.has('digitalSignature') === false && isSigned(handshake),
  },
  {
    code: 'no_key_encipherment',
    why: 'its key usage lacks keyEncipherment, which this handshake needs',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE ciphers, on the server.',
    clients: ['chromium', 'gnutls'],
    source: 'measured; RFC 5246 §7.4.2',
    applies: (handshake) =>
      handshake.certificate.keyUsage?.has('keyEncipherment') === false && isRsaKeyExchange(handshake),
  },
  {
    code: 'rsa_key_exchange',
    why: 'the server chose RSA key exchange, which these clients no longer offer',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE ciphers, on the server.',
    isOfConnection: true,
    clients: ['go', 'java'],
    source: 'measured for Java; release notes of Go 1.22',
    applies: isRsaKeyExchange,
  },
  {
    code: 'rare_signature',
    why: 'the server signs the handshake only with ECDSA and SHA-512, which they do not offer',
    fix: 'Allow ECDSA with SHA-256 among the signature algorithms of the server.',
    isOfConnection: true,
    clients: ['chromium', 'apple'],
    source: 'measured; public captures of Safari offer no ecdsa_secp521r1_sha512 either',
    // The rule `p521_key` already reports keys on P-521.
    applies: ({ rareSignature, certificate: { key } }) =>
      rareSignature === true && key.type === 'ec' && key.curve !== 'P-521',
  },
  {
    code: 'rare_group',
    why: 'the server accepts only key exchange groups that they do not offer',
    fix: 'Enable the groups X25519 and P-256 on the server.',
    isOfConnection: true,
    isOfEveryHandshake: true,
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
    why: 'the server agrees on HTTP/2 with a cipher that HTTP/2 forbids',
    fix: 'Enable TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM ciphers, on the server.',
    isOfConnection: true,
    clients: ['chromium', 'firefox'],
    source: 'measured; IsTLSCipherSuiteAllowedByHTTP2 in Chromium, ConfirmTLSProfile in Firefox',
    applies: isForbiddenInHttp2,
  },
] as const satisfies readonly ClientRule<Handshake>[];

/** A leaf, and what the policies of browsers ask about it. */
interface Issued {
  certificate: Certificate;
  /** Whether its path ends in an anchor of a public root program. */
  isPublic: boolean;
  /** Whether the certificate or a stapled OCSP response has a timestamp of a Certificate Transparency log. */
  hasTimestamp: boolean;
}

const LIFETIMES = rulesOf('private_max_lifetime');
const PURPOSES = rulesOf('private_purpose');

/** Rules that clients apply only below public roots, or only below roots that somebody added. */
export const POLICY_RULES = [
  {
    code: 'no_timestamps',
    why: 'it comes without Certificate Transparency timestamps (SCTs)',
    fix: 'Have the certificate reissued with Certificate Transparency timestamps (SCTs).',
    clients: ['chromium', 'firefox', 'apple'],
    source: 'Certificate Transparency policies of Chrome, Firefox and Apple',
    applies: ({ isPublic, hasTimestamp }) => isPublic && !hasTimestamp,
  },
  {
    code: 'private_lifetime',
    why: 'it is valid for more than 825 days',
    fix: 'Have the certificate reissued with a shorter lifetime.',
    clients: ['apple'],
    source: 'support.apple.com/103769',
    applies: ({ certificate: { notBefore, notAfter }, isPublic }) =>
      !isPublic &&
      LIFETIMES.some(
        ({ start, maxDays }) => notBefore >= start && notAfter + 1000 - notBefore > maxDays * DAY_MS,
      ),
  },
  {
    code: 'private_purpose',
    why: 'its extended key usage does not name TLS servers',
    fix: 'Have the certificate reissued with the extended key usage serverAuth.',
    clients: ['apple'],
    source: 'support.apple.com/103769',
    applies: ({ certificate: { notBefore, extendedKeyUsage }, isPublic }) =>
      !isPublic &&
      PURPOSES.some(({ start }) => notBefore >= start) &&
      extendedKeyUsage?.includes(PURPOSE.serverAuth) !== true,
  },
] as const satisfies readonly ClientRule<Issued>[];

import type { KeyChoice } from '../kit/certificates/mint.ts';
import { leafScenario, type Scenario } from './scenario.ts';

const TLS_1_2 = { maxVersion: 'TLSv1.2' } as const;

const handshake = (name: string, tls: NonNullable<Scenario['tls']>, key: KeyChoice = 'RSA-2048'): Scenario =>
  leafScenario(name, { key }, { tls });

const withCipher = (cipher: string, key?: KeyChoice): Scenario =>
  handshake(`cipher ${cipher} only`, { ...TLS_1_2, ciphers: `${cipher}:@SECLEVEL=0` }, key);

const withGroup = (ecdhCurve: string): Scenario => handshake(`group ${ecdhCurve} only`, { ecdhCurve });

/** Servers with an odd TLS handshake. */
export const HANDSHAKE_SCENARIOS: readonly Scenario[] = [
  ...['TLSv1', 'TLSv1.1'].map((version) =>
    handshake(`${version.replace('v', ' ')} only`, {
      minVersion: version as 'TLSv1',
      maxVersion: version as 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    }),
  ),
  handshake('TLS 1.2 only', TLS_1_2),
  handshake('TLS 1.3 only', { minVersion: 'TLSv1.3' }),
  ...[
    'ECDHE-RSA-AES128-SHA256',
    'ECDHE-RSA-AES256-SHA',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'DHE-RSA-AES128-GCM-SHA256',
    'DHE-RSA-AES256-SHA',
    'AES256-SHA',
    'AES256-SHA256',
    'AES128-CCM',
    'CAMELLIA128-SHA',
    'ECDHE-RSA-CAMELLIA128-SHA256',
    'ECDHE-ARIA128-GCM-SHA256',
    'NULL-SHA256',
    'ECDHE-RSA-NULL-SHA',
  ].map((cipher) => withCipher(cipher)),
  ...[
    'ECDHE-ECDSA-AES128-CCM',
    'ECDHE-ECDSA-AES256-CCM8',
    'ECDHE-ECDSA-AES128-SHA',
    'ECDHE-ECDSA-AES256-SHA384',
  ].map((cipher) => withCipher(cipher, 'P-256')),
  ...['TLS_AES_128_CCM_SHA256', 'TLS_AES_128_CCM_8_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'].map((ciphers) =>
    handshake(`cipher ${ciphers} only`, { minVersion: 'TLSv1.3', ciphers }),
  ),
  ...['X25519', 'P-256', 'P-384', 'P-521', 'X448', 'ffdhe2048', 'X25519MLKEM768', 'brainpoolP256r1'].map(
    withGroup,
  ),
  handshake('TLS 1.2 with the group P-521 only', { ...TLS_1_2, ecdhCurve: 'P-521' }),
  ...['rsa_pss_rsae_sha512', 'rsa_pss_rsae_sha256'].map((sigalgs) =>
    handshake(`signature ${sigalgs} only`, { sigalgs }),
  ),
  ...['RSA+SHA256', 'RSA+SHA512', 'RSA+SHA224', 'RSA+SHA1'].map((sigalgs) =>
    handshake(`signature ${sigalgs} only`, {
      ...TLS_1_2,
      sigalgs,
      ciphers: 'ECDHE:@SECLEVEL=0',
    }),
  ),
  ...['ECDSA+SHA512', 'ECDSA+SHA224', 'ECDSA+SHA1'].map((sigalgs) =>
    handshake(`signature ${sigalgs} only`, { ...TLS_1_2, sigalgs, ciphers: 'ECDHE:@SECLEVEL=0' }, 'P-256'),
  ),
  handshake('ML-DSA-44 and the group X25519MLKEM768 only', { ecdhCurve: 'X25519MLKEM768' }, 'ML-DSA-44'),
  handshake('ML-DSA-65 and its signature only', { sigalgs: 'mldsa65' }, 'ML-DSA-65'),
  handshake('ALPN foo only', { ALPNProtocols: ['foo'] }),
  handshake('ALPN http/1.0 only', { ALPNProtocols: ['http/1.0'] }),
  handshake('a client certificate is requested', { requestCert: true }),
  handshake('finite fields of 2,048 bits', {
    ...TLS_1_2,
    dhparam: 'auto',
    ciphers: 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0',
  }),
];

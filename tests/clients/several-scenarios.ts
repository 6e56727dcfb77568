import {
  type CertificateOptions,
  type KeyChoice,
  mintAuthority,
  type MintedCertificate,
} from '../kit/certificates/mint.ts';
import { createHelloRouter, extensionNumbers, type ReadHello } from '../kit/peers/hello-proxies.ts';
import { listening, startOpensslServer, startTlsServer } from '../kit/peers/tls-server.ts';
import { startGoServer } from './go-server.ts';
import { HOST, type Roots, type Scenario } from './scenario.ts';

const DAY_MS = 86_400_000;
const EXPIRED = { notBefore: Date.now() - 2 * DAY_MS, notAfter: Date.now() - DAY_MS };
const UNTRUSTED = mintAuthority({ commonName: 'Unknown Root' });

type Fault = 'good' | 'expired' | 'untrusted' | 'for another name' | 'without its intermediate';

/** One of the certificates of a server that has several. */
interface Own extends CertificateOptions {
  key: KeyChoice;
  fault?: Fault;
}

function issue(
  { ecdsa }: Roots,
  { fault = 'good', ...options }: Own,
): MintedCertificate & { chainPem: string } {
  const authority = fault === 'untrusted' ? UNTRUSTED : ecdsa;
  const leaf = authority.intermediate().issue({
    dnsNames: [fault === 'for another name' ? 'other.example' : HOST],
    ...(fault === 'expired' && EXPIRED),
    ...options,
  });
  return fault === 'without its intermediate' ? { ...leaf, chainPem: '' } : leaf;
}

/**
 * Returns a Node.js server with certificates of different key types. By default OpenSSL chooses by its own order of
 * preference, not by the client's.
 */
const several = (
  name: string,
  own: readonly Own[],
  tls: Scenario['tls'] & { honorCipherOrder?: boolean } = {},
): Scenario => ({
  name,
  needsPosture: true,
  start: (roots) =>
    startTlsServer(
      { '*': own.map((one) => issue(roots, one)) },
      { serve: (_request, response) => response.end('ok'), ciphers: 'DEFAULT@SECLEVEL=0', ...tls },
    ),
});

/** A server that sends the second certificate to the clients that `takesSecond` selects. */
const routed = (
  name: string,
  first: Own,
  second: Own,
  takesSecond: (hello: ReadHello) => boolean,
): Scenario => ({
  name,
  needsPosture: true,
  async start(roots) {
    const servers = await Promise.all(
      [first, second].map((own) =>
        startTlsServer({ '*': issue(roots, own) }, { serve: (_request, response) => response.end('ok') }),
      ),
    );
    const [usual, other] = servers;
    const router = await listening(
      createHelloRouter((hello) => (takesSecond(hello) ? other?.port : usual?.port) ?? 0),
    );
    return {
      port: router.port,
      async stop() {
        await Promise.all([router, ...servers].map((peer) => peer.stop()));
      },
    };
  },
});

/** Returns a Go server. It sends each client the first certificate whose signature the client supports. */
const ofGo = (name: string, own: readonly Own[]): Scenario => ({
  name,
  needsPosture: true,
  start: (roots) => startGoServer(own.map((one) => issue(roots, one))),
});

const RSA = 'rsa_pss_rsae_sha256:RSA+SHA256';
const ECDSA = 'ECDSA+SHA256:ECDSA+SHA384';
const BY_CLIENT = { honorCipherOrder: false };
const TLS_1_2 = { maxVersion: 'TLSv1.2' } as const;
const DHE = {
  ...TLS_1_2,
  ciphers: 'DHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256',
  dhparam: 'auto',
} as const;
const key = (choice: KeyChoice, fault?: Fault): Own => ({ key: choice, ...(fault && { fault }) });

/** Types of keys, each with the signature algorithm by which a server chooses a certificate with such a key. */
const PREFERRED: readonly [KeyChoice, string][] = [
  ['Ed25519', 'ed25519'],
  ['Ed448', 'ed448'],
  ['P-521', 'ECDSA+SHA512'],
  ['RSA-PSS-2048', 'rsa_pss_pss_sha256'],
  ['ML-DSA-44', 'mldsa44'],
  ['ML-DSA-65', 'mldsa65'],
];

/**
 * Servers with two certificates: one that only some clients get, and an RSA certificate for all others. At most one of the
 * two has a fault.
 */
const preferred = PREFERRED.flatMap(([choice, signature]) =>
  (['good', 'expired', 'untrusted'] as const).flatMap((fault) => {
    const tls = { sigalgs: `${signature}:${RSA}` };
    const mine = several(
      `${fault} ${choice} preferred beside RSA`,
      [key(choice, fault), key('RSA-2048')],
      tls,
    );
    const others = several(
      `${fault} RSA beside preferred ${choice}`,
      [key(choice), key('RSA-2048', fault)],
      tls,
    );
    return fault === 'good' ? [mine] : [mine, others];
  }),
);

const ED25519 = 0x0807;
const ECDSA_P521 = 0x0603;
const RSA_SHA1 = 0x0201;
const ML_DSA_65 = 0x0905;
const CHACHA20 = 0xcca9;
const ML_KEM = 0x11ec;
const offers =
  (scheme: number) =>
  ({ signatures }: ReadHello) =>
    signatures.includes(scheme);

/** Servers with several certificates, of which each client gets one. */
export const SEVERAL_SCENARIOS: readonly Scenario[] = [
  ...preferred,
  several('ECDSA beside RSA', [key('P-256'), key('RSA-2048')]),
  several('expired RSA beside ECDSA', [key('P-256'), key('RSA-2048', 'expired')]),
  several('expired ECDSA beside RSA', [key('P-256', 'expired'), key('RSA-2048')]),
  several(
    'expired RSA beside ECDSA, the client chooses',
    [key('P-256'), key('RSA-2048', 'expired')],
    BY_CLIENT,
  ),
  several(
    'expired ECDSA beside RSA, the client chooses',
    [key('P-256', 'expired'), key('RSA-2048')],
    BY_CLIENT,
  ),
  several(
    'untrusted RSA beside ECDSA, the client chooses',
    [key('P-256'), key('RSA-2048', 'untrusted')],
    BY_CLIENT,
  ),
  several('expired RSA beside ECDSA, TLS 1.2', [key('P-256'), key('RSA-2048', 'expired')], TLS_1_2),
  several('expired ECDSA beside RSA, TLS 1.2', [key('P-256', 'expired'), key('RSA-2048')], TLS_1_2),
  several(
    'expired RSA beside ECDSA, TLS 1.2, the client chooses',
    [key('P-256'), key('RSA-2048', 'expired')],
    { ...TLS_1_2, ...BY_CLIENT },
  ),
  several(
    'expired ECDSA beside RSA, TLS 1.2, the client chooses',
    [key('P-256', 'expired'), key('RSA-2048')],
    { ...TLS_1_2, ...BY_CLIENT },
  ),
  ...(['expired', 'untrusted'] as const).flatMap((fault) => [
    several(
      `${fault} RSA for clients with DHE beside ECDSA, TLS 1.2`,
      [key('P-256'), key('RSA-2048', fault)],
      DHE,
    ),
    several(
      `RSA for clients with DHE beside ${fault} ECDSA, TLS 1.2`,
      [key('P-256', fault), key('RSA-2048')],
      DHE,
    ),
    routed(
      `P-256 beside ${fault} P-256 for clients with ML-KEM`,
      key('P-256'),
      key('P-256', fault),
      (hello) => extensionNumbers(hello, 10).includes(ML_KEM),
    ),
  ]),
  several(
    'ECDSA for another name beside RSA preferred',
    [key('P-256', 'for another name'), key('RSA-2048')],
    { sigalgs: `${RSA}:${ECDSA}` },
  ),
  several(
    'RSA for another name beside ECDSA, the client chooses',
    [key('P-256'), key('RSA-2048', 'for another name')],
    BY_CLIENT,
  ),
  several(
    'RSA without its intermediate beside ECDSA, the client chooses',
    [key('P-256'), key('RSA-2048', 'without its intermediate')],
    BY_CLIENT,
  ),
  several(
    'RSA that may not sign beside ECDSA, the client chooses',
    [key('P-256'), { key: 'RSA-2048', keyUsage: ['keyEncipherment'] }],
    BY_CLIENT,
  ),
  several(
    'ECDSA that may not sign beside RSA, the client chooses',
    [{ key: 'P-256', keyUsage: ['keyAgreement'] }, key('RSA-2048')],
    BY_CLIENT,
  ),
  several('Ed25519 beside P-521 alone', [key('Ed25519'), key('P-521')]),
  several('expired P-521 beside Ed25519', [key('Ed25519'), key('P-521', 'expired')]),
  several(
    'expired P-521 and good RSA beside expired Ed448, the client chooses',
    [key('P-521', 'expired'), key('RSA-2048'), key('Ed448', 'expired')],
    BY_CLIENT,
  ),
  several(
    'ECDSA beside four other key types',
    (['P-256', 'RSA-2048', 'Ed25519', 'RSA-PSS-2048', 'ML-DSA-65'] as const).map((choice) => key(choice)),
  ),
  several(
    'expired RSA beside four other key types, the client chooses',
    [
      key('RSA-2048', 'expired'),
      ...(['P-256', 'Ed25519', 'RSA-PSS-2048', 'ML-DSA-65'] as const).map((choice) => key(choice)),
    ],
    BY_CLIENT,
  ),
  ...(['good', 'expired', 'untrusted'] as const).flatMap((fault) => [
    routed(
      `P-256 beside ${fault} P-384 for clients with P-521`,
      key('P-256'),
      key('P-384', fault),
      offers(ECDSA_P521),
    ),
    routed(
      `RSA beside ${fault} RSA for clients with Ed25519`,
      key('RSA-2048'),
      key('RSA-2048', fault),
      offers(ED25519),
    ),
    routed(
      `RSA beside ${fault} RSA for clients with SHA-1 and no Ed25519`,
      key('RSA-2048'),
      key('RSA-3072', fault),
      (hello) => offers(RSA_SHA1)(hello) && !offers(ED25519)(hello),
    ),
    routed(
      `P-256 beside ${fault} P-256 for clients with ML-DSA`,
      key('P-256'),
      key('P-256', fault),
      offers(ML_DSA_65),
    ),
    routed(
      `P-256 beside ${fault} RSA for clients without ChaCha20`,
      key('P-256'),
      key('RSA-2048', fault),
      ({ ciphers }) => !ciphers.includes(CHACHA20),
    ),
    routed(
      `P-256 beside ${fault} P-384 for clients without Ed25519`,
      key('P-256'),
      key('P-384', fault),
      (hello) => !offers(ED25519)(hello),
    ),
  ]),
  ofGo('Go with Ed25519 beside RSA', [key('Ed25519'), key('RSA-2048')]),
  ofGo('Go with expired Ed25519 beside RSA', [key('Ed25519', 'expired'), key('RSA-2048')]),
  ofGo('Go with P-521 beside untrusted P-384', [key('P-521'), key('P-384', 'untrusted')]),
  ofGo('Go with expired P-521 beside P-384 and RSA', [
    key('P-521', 'expired'),
    key('P-384'),
    key('RSA-2048'),
  ]),
  ofGo('Go with P-256 beside expired P-384, which nobody gets', [key('P-256'), key('P-384', 'expired')]),
  ...(['expired', 'untrusted'] as const).map((fault): Scenario => ({
    name: `s_server with RSA beside ${fault} ECDSA`,
    needsPosture: true,
    async start(roots) {
      const [rsa, ecdsa] = [issue(roots, key('RSA-2048')), issue(roots, key('P-256', fault))];
      return startOpensslServer(rsa, { second: ecdsa, arguments: ['-www', '-naccept', '1000'] });
    },
  })),
];

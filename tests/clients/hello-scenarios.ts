import type { KeyChoice } from '../kit/certificates/mint.ts';
import {
  createHelloFilter,
  createRecordInserter,
  extensionNumbers,
  isReserved,
  type Reaction,
  type ReadHello,
  shareGroups,
} from '../kit/peers/hello-proxies.ts';
import { alertRecord } from '../kit/peers/raw-peers.ts';
import { listening, startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';
import { HOST, type Scenario } from './scenario.ts';
import type { Server } from 'node:net';

interface Behind extends TlsPeerOptions {
  key?: KeyChoice;
}

/** Returns a scenario with a proxy in front of a good server. Only the posture check shows what the proxy does. */
function proxied(
  name: string,
  createProxy: (port: number) => Server,
  { key, ...tls }: Behind = {},
): Scenario {
  return {
    name,
    needsPosture: true,
    async start({ ecdsa }) {
      const leaf = ecdsa.intermediate().issue({ dnsNames: [HOST], ...(key && { key }) });
      const chainPem = leaf.chain.map(({ certificatePem }) => certificatePem).join('');
      const serve: TlsPeerOptions['serve'] = (_request, response) => response.end('ok');
      const server = await startTlsServer({ '*': { ...leaf, chainPem } }, { serve, ...tls });
      const proxy = await listening(createProxy(server.port));
      return {
        port: proxy.port,
        async stop() {
          await proxy.stop();
          await server.stop();
        },
      };
    },
  };
}

type Test = (hello: ReadHello) => boolean;

const OUTCOMES: Readonly<Record<Reaction, string>> = {
  silent: 'gets no answer',
  broken: 'is reset',
  closed: 'is closed',
  alert: 'gets the alert handshake_failure',
  decodeError: 'gets the alert decode_error',
  garbage: 'gets an HTTP response',
};

const refused = (what: string, test: Test, reaction: Reaction, behind: Behind = {}): Scenario =>
  proxied(
    `ClientHello ${what} ${OUTCOMES[reaction]}`,
    (port) => createHelloFilter(port, test, reaction),
    behind,
  );

/** Returns a scenario for each of these reactions. The server shows the reaction to ClientHellos that pass `test`. */
const refusedBy = (what: string, test: Test, reactions: readonly Reaction[], behind?: Behind): Scenario[] =>
  reactions.map((reaction) => refused(what, test, reaction, behind));

const longer =
  (bytes: number): Test =>
  ({ length }) =>
    length > bytes;
const having =
  (...types: number[]): Test =>
  ({ extensions }) =>
    types.some((type) => extensions.has(type));
const offers =
  (type: number, values: readonly number[], start?: number): Test =>
  (hello) =>
    extensionNumbers(hello, type, start).some((value) => values.includes(value));
const reserves =
  (type: number, start?: number): Test =>
  (hello) =>
    extensionNumbers(hello, type, start).some(isReserved);

const TLS_1_2: Behind = { maxVersion: 'TLSv1.2' };
const TLS_1_3: Behind = { minVersion: 'TLSv1.3' };
const RSA: Behind = { key: 'RSA-2048' };
const REACTIONS: readonly Reaction[] = ['broken', 'closed', 'alert', 'decodeError', 'garbage'];
const MOST: readonly Reaction[] = ['broken', 'alert', 'garbage'];

const mlKem = offers(10, [0x11ec]);
const reservedCipher: Test = ({ ciphers }) => ciphers.some(isReserved);
const reservedExtension: Test = ({ extensions }) => [...extensions.keys()].some(isReserved);
const newExtension: Test = (hello) =>
  reservedExtension(hello) || having(0xfe0d, 27, 28, 34, 0x44cd, 0xca34)(hello);
const reservedShare: Test = (hello) => shareGroups(hello).some(isReserved);
const [groups, signatures, versions] = [reserves(10), reserves(13), reserves(43, 1)];

const empty = (count: number, type = 0x16): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from([type, 3, 3, 0, 0])));
const inserted = (name: string, records: Buffer, behind?: Behind, before?: number): Scenario =>
  proxied(name, (port) => createRecordInserter(port, records, before), behind);
const warned = (alert: number, name: string, behind: Behind, count = 1): Scenario =>
  inserted(
    `${count === 1 ? 'warning' : `${count} warnings`} ${name}`,
    repeated(alertRecord(1, alert), count),
    behind,
  );
const repeated = (record: Buffer, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => record));

/**
 * Servers and middleboxes that accept our usual ClientHello, but refuse the ClientHellos of some clients or answer them in an
 * unusual way.
 */
export const HELLO_SCENARIOS: readonly Scenario[] = [
  proxied('every ClientHello is accepted', (port) => createHelloFilter(port, () => false, 'broken')),
  refused('of more than 2,100 bytes', longer(2_100), 'broken'),
  ...refusedBy('of more than 1,400 bytes', longer(1_400), [...REACTIONS, 'silent']),
  refused('of more than 1,400 bytes (TLS 1.2)', longer(1_400), 'broken', TLS_1_2),
  refused('of more than 1,460 bytes (RSA)', longer(1_460), 'closed', RSA),
  refused('of more than 1,000 bytes (TLS 1.3)', longer(1_000), 'alert', TLS_1_3),
  refused('of more than 1,700 bytes', longer(1_700), 'broken'),
  refused('of more than 600 bytes', longer(600), 'decodeError'),
  ...refusedBy('with ML-KEM', mlKem, REACTIONS),
  refused('with a key share for ML-KEM', (hello) => shareGroups(hello).includes(0x11ec), 'alert', TLS_1_2),
  refused('with ML-KEM (RSA)', mlKem, 'broken', RSA),
  ...refusedBy('with ML-DSA signatures', offers(13, [0x0904, 0x0905, 0x0906]), MOST),
  ...refusedBy('with a reserved cipher suite', reservedCipher, MOST),
  refused('with a reserved cipher suite (TLS 1.2)', reservedCipher, 'closed', TLS_1_2),
  ...refusedBy('with a reserved extension', reservedExtension, [...MOST, 'silent']),
  ...refusedBy('with a reserved group', groups, MOST),
  refused('with a reserved key share', reservedShare, 'alert', TLS_1_3),
  ...refusedBy('with a reserved version', versions, MOST),
  ...refusedBy('with a reserved signature algorithm', signatures, MOST),
  ...refusedBy(
    'with any reserved value',
    (hello) => [reservedCipher, reservedExtension, groups, versions].some((test) => test(hello)),
    ['broken', 'alert'],
  ),
  ...refusedBy('with encrypted_client_hello', having(0xfe0d), [...REACTIONS, 'silent']),
  ...refusedBy('with compress_certificate', having(27), [...REACTIONS, 'silent']),
  refused('with compress_certificate (TLS 1.2)', having(27), 'broken', TLS_1_2),
  ...refusedBy('with application_settings', having(0x44cd), MOST),
  ...refusedBy('with trust_anchors', having(0xca34), MOST),
  ...refusedBy('with signed_certificate_timestamp', having(18), MOST),
  ...refusedBy('with delegated_credential', having(34), MOST),
  ...refusedBy('with record_size_limit', having(28), MOST),
  refused(
    'with ECH or a reserved cipher suite',
    (hello) => having(0xfe0d)(hello) || reservedCipher(hello),
    'alert',
  ),
  refused('with ML-KEM or compress_certificate', (hello) => mlKem(hello) || having(27)(hello), 'alert', RSA),
  ...refusedBy('with any new extension', newExtension, ['broken', 'alert', 'closed']),
  refused('with more than 15 extensions', ({ extensions }) => extensions.size > 15, 'broken'),
  refused(
    'with ECH and more than 1,400 bytes',
    (hello) => having(0xfe0d)(hello) && longer(1_400)(hello),
    'broken',
  ),
  refused(
    'with timestamps and certificate compression',
    (hello) => having(18)(hello) && having(27)(hello),
    'alert',
  ),
  warned(112, 'unrecognized_name (TLS 1.2)', TLS_1_2),
  warned(112, 'unrecognized_name (TLS 1.3)', TLS_1_3),
  warned(112, 'unrecognized_name (RSA)', RSA, 2),
  inserted('warning unrecognized_name after the ServerHello (TLS 1.2)', alertRecord(1, 112), TLS_1_2, 1),
  warned(49, 'access_denied', TLS_1_3),
  warned(113, 'bad_certificate_status_response', TLS_1_2),
  warned(90, 'user_canceled (TLS 1.2)', TLS_1_2),
  warned(90, 'user_canceled (TLS 1.3)', TLS_1_3),
  warned(80, 'internal_error', TLS_1_3),
  inserted('an empty record first (TLS 1.2)', empty(1), TLS_1_2),
  inserted('an empty record first (TLS 1.3)', empty(1), TLS_1_3),
  inserted('five empty records first', empty(5), RSA),
  inserted('an empty record after the ServerHello (TLS 1.2)', empty(1), TLS_1_2, 1),
  inserted('an empty record after the certificate (TLS 1.2)', empty(1), { ...TLS_1_2, ...RSA }, 2),
  inserted('an empty ChangeCipherSpec first (TLS 1.2)', empty(1, 0x14), TLS_1_2),
  inserted('an empty ChangeCipherSpec first (TLS 1.3)', empty(1, 0x14), TLS_1_3),
  inserted(
    'an empty ChangeCipherSpec after the ServerHello (TLS 1.2)',
    empty(1, 0x14),
    { ...TLS_1_2, ...RSA },
    1,
  ),
  inserted('two empty ChangeCipherSpec and an empty record', Buffer.concat([empty(2, 0x14), empty(1)])),
  inserted(
    'an empty record and the warning unrecognized_name',
    Buffer.concat([empty(1), alertRecord(1, 112)]),
  ),
];

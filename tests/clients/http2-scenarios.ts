import type { KeyChoice } from '../kit/certificates/mint.ts';
import {
  answeringRequests,
  goaway,
  http2Frame,
  okOn,
  reset,
  sending,
  sendingAndClosing,
  SETTINGS,
  speakingHttp2,
} from '../kit/peers/http2-peers.ts';
import type { PeerBehaviour } from '../kit/peers/raw-peers.ts';
import { leafScenario, type Scenario } from './scenario.ts';

type Options = NonNullable<Scenario['tls']> & { key?: KeyChoice };

const withHttp2 = (
  name: string,
  http2: PeerBehaviour,
  { key = 'RSA-2048', ...tls }: Options = {},
): Scenario => {
  // Firefox no longer offers HTTP/2 to a host whose HTTP/2 has failed, so each server has a host of its own.
  const host = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.odd.example`;
  return leafScenario(
    `HTTP/2: ${name}`,
    { key, keyUsage: ['digitalSignature', 'keyEncipherment'], dnsNames: [host] },
    { host, tls: { ALPNProtocols: ['h2', 'http/1.1'], http2, ...tls } },
  );
};

const withCipher = (cipher: string, key: KeyChoice = 'RSA-2048'): Scenario =>
  withHttp2(`cipher ${cipher}`, speakingHttp2, {
    key,
    maxVersion: 'TLSv1.2',
    ciphers: `${cipher}:@SECLEVEL=0`,
    dhparam: 'auto',
  });

const setting = (id: number, value: number): Buffer => {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(id);
  payload.writeUInt32BE(value, 2);
  return http2Frame(4, 0, payload, 0);
};
/** Returns SETTINGS with this number of values, none of which clients know. */
const settings = (count: number): Buffer =>
  http2Frame(4, 0, Buffer.concat(Array.from({ length: count }, () => Buffer.from('999900000001', 'hex'))), 0);
/** Returns a header field whose name and value are neither compressed nor stored (RFC 7541 §6.2.2). */
const plainField = (name: string, value: string): number[] => [
  0,
  name.length,
  ...Buffer.from(name),
  value.length,
  ...Buffer.from(value),
];
const PING = http2Frame(6, 0, Buffer.alloc(8), 0);
const ok = (stream: number): Buffer[] => [okOn(stream)];

/** Servers that agree on HTTP/2 and misuse it. Over HTTP/1.1, each of them answers properly. */
export const HTTP2_SCENARIOS: readonly Scenario[] = [
  withHttp2('nothing odd', speakingHttp2),
  withHttp2('nothing odd, TLS 1.2', speakingHttp2, { maxVersion: 'TLSv1.2' }),
  withHttp2('nothing odd, HTTP/2 alone', speakingHttp2, { ALPNProtocols: ['h2'] }),
  ...[
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-RSA-AES128-SHA',
    'ECDHE-RSA-AES256-SHA',
    'AES128-GCM-SHA256',
    'AES128-SHA',
  ].map((cipher) => withCipher(cipher)),
  withCipher('ECDHE-ECDSA-AES128-GCM-SHA256', 'P-256'),
  withHttp2('the connection is closed at once', (socket) => void socket.end()),
  withHttp2('the connection is closed after the first request', sendingAndClosing()),
  withHttp2('the connection is reset', (socket) => void socket.once('data', () => socket.destroy())),
  withHttp2('the connection is closed after the settings', sendingAndClosing(SETTINGS)),
  withHttp2('no answer at all', (socket) => void socket.resume()),
  withHttp2('no answer after the settings', sending(SETTINGS)),
  withHttp2('garbage', sending(Buffer.alloc(100, 'x'))),
  withHttp2(
    'an answer by HTTP/1.1',
    sendingAndClosing(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')),
  ),
  withHttp2('an error by HTTP/1.1', sendingAndClosing(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  withHttp2('GOAWAY with a protocol error', sendingAndClosing(SETTINGS, goaway(0, 1))),
  withHttp2('GOAWAY because of inadequate security', sendingAndClosing(SETTINGS, goaway(0, 12))),
  withHttp2('GOAWAY without an error', sendingAndClosing(SETTINGS, goaway(0, 0))),
  withHttp2('GOAWAY that demands HTTP/1.1', sendingAndClosing(SETTINGS, goaway(0, 13))),
  withHttp2(
    'every request is reset',
    answeringRequests((stream) => [reset(2, stream)]),
  ),
  withHttp2(
    'every request is cancelled',
    answeringRequests((stream) => [reset(8, stream)]),
  ),
  withHttp2(
    'every request is reset without an error',
    answeringRequests((stream) => [reset(0, stream)]),
  ),
  withHttp2(
    'every request is refused',
    answeringRequests((stream) => [reset(7, stream)]),
  ),
  withHttp2(
    'every request is to be sent by HTTP/1.1',
    answeringRequests((stream) => [reset(13, stream)]),
  ),
  withHttp2('settings of 5 bytes', answeringRequests(ok, [http2Frame(4, 0, [0, 3, 0, 0, 0], 0)])),
  withHttp2('an initial window beyond the limit', answeringRequests(ok, [setting(4, 2 ** 32 - 1)])),
  withHttp2('a maximum frame size of 100', answeringRequests(ok, [setting(5, 100)])),
  withHttp2('a maximum frame size of 2^24', answeringRequests(ok, [setting(5, 2 ** 24)])),
  withHttp2('push set to 2', answeringRequests(ok, [setting(2, 2)])),
  withHttp2('push enabled by the server', answeringRequests(ok, [setting(2, 1)])),
  withHttp2('no streams allowed', answeringRequests(ok, [setting(3, 0)])),
  withHttp2('an initial window of 0', answeringRequests(ok, [setting(4, 0)])),
  withHttp2('a header list of at most 10 bytes', answeringRequests(ok, [setting(6, 10)])),
  withHttp2('unknown settings', answeringRequests(ok, [setting(0x9999, 1)])),
  withHttp2('settings on a stream', answeringRequests(ok, [http2Frame(4, 0, [], 1)])),
  withHttp2('no settings', answeringRequests(ok, [])),
  withHttp2(
    'settings after the answer',
    answeringRequests((stream) => [okOn(stream), SETTINGS], []),
  ),
  withHttp2(
    'a window update before the settings',
    answeringRequests(ok, [http2Frame(8, 0, [0, 0, 0, 1], 0), SETTINGS]),
  ),
  withHttp2('acknowledged settings first', answeringRequests(ok, [http2Frame(4, 1, [], 0), SETTINGS])),
  withHttp2(
    'an acknowledgement with a payload',
    answeringRequests(ok, [SETTINGS, http2Frame(4, 1, [0, 3, 0, 0, 0, 1], 0)]),
  ),
  withHttp2(
    'a body in a frame of 16,384 bytes',
    answeringRequests((stream) => [
      http2Frame(1, 4, [0x88], stream),
      http2Frame(0, 1, Buffer.alloc(16_384, '.'), stream),
    ]),
  ),
  withHttp2(
    'a body in a frame of 16 MB',
    answeringRequests((stream) => [http2Frame(0, 1, Buffer.alloc(2 ** 24 - 1), stream)]),
  ),
  withHttp2(
    'headers without a status',
    answeringRequests((stream) => [http2Frame(1, 5, [0x84], stream)]),
  ),
  withHttp2(
    'an empty field block',
    answeringRequests((stream) => [http2Frame(1, 5, [], stream)]),
  ),
  withHttp2(
    'a compressed field that does not exist',
    answeringRequests((stream) => [http2Frame(1, 5, [0xff, 0x80, 1], stream)]),
  ),
  ...Object.entries({
    'a field with an index of 0': [0x80],
    'a field that is cut off': [0, 50, 0x61],
    'a field name in upper case': [0, 3, ...Buffer.from('X-A'), 1, 0x62],
    'a line break in a field': [0, 1, 0x61, 3, ...Buffer.from('b\nc')],
    'a space in a field name': [0x40, 3, ...Buffer.from('a b'), 1, 0x62],
    'a second status': [0x88],
    'another status after the first': [0x8d],
    'an unknown pseudo-header field': plainField(':odd', '1'),
    'a pseudo-header field of requests': [0x84],
    'an unknown pseudo-header field after others': [...plainField('a', 'b'), ...plainField(':odd', '1')],
    'the field transfer-encoding': [0x0f, 42, 7, ...Buffer.from('chunked')],
    'the field transfer-encoding, its name in full': plainField('transfer-encoding', 'chunked'),
    'the field transfer-encoding with the value identity': plainField('transfer-encoding', 'identity'),
    'the field connection': plainField('connection', 'close'),
    'the field connection with the value keep-alive': plainField('connection', 'keep-alive'),
    'the field keep-alive': plainField('keep-alive', 'timeout=5'),
    'the field proxy-connection': plainField('proxy-connection', 'keep-alive'),
    'the field upgrade': plainField('upgrade', 'h2c'),
    'the field te': plainField('te', 'trailers'),
    'two fields content-length': [...plainField('content-length', '0'), ...plainField('content-length', '1')],
    'the field content-length without a number': plainField('content-length', 'x'),
    'fields of all kinds': [
      0x8f, 0x10, 1, 0x61, 0x81, 0x1f, 0x5f, 1, 0x62, 0x0f, 0x10, 1, 0x62, 0x40, 1, 0x63, 1, 0xe9,
    ],
  }).map(([name, fields]) =>
    withHttp2(
      name,
      answeringRequests((stream) => [http2Frame(1, 5, [0x88, ...fields], stream)]),
    ),
  ),
  withHttp2(
    'a status after another field',
    answeringRequests((stream) => [http2Frame(1, 5, [...plainField('a', 'b'), 0x88], stream)]),
  ),
  withHttp2(
    'padding beyond the end of a frame',
    answeringRequests((stream) => [http2Frame(1, 0xd, [9, 0x88], stream)]),
  ),
  withHttp2(
    'an answer on another stream',
    answeringRequests((stream) => [okOn(stream + 2)]),
  ),
  withHttp2(
    'a body before its headers',
    answeringRequests((stream) => [http2Frame(0, 0, [1], stream), okOn(stream)]),
  ),
  withHttp2(
    'a PUSH_PROMISE',
    answeringRequests((stream) => [http2Frame(5, 4, [0, 0, 0, 2, 0x82], stream), okOn(stream)]),
  ),
  withHttp2('a PING of one byte', answeringRequests(ok, [SETTINGS, http2Frame(6, 0, [1], 0)])),
  withHttp2('a window update of 0', answeringRequests(ok, [SETTINGS, http2Frame(8, 0, [0, 0, 0, 0], 0)])),
  withHttp2(
    'a window update beyond the limit',
    answeringRequests(ok, [SETTINGS, http2Frame(8, 0, [0x7f, 255, 255, 255], 0)]),
  ),
  withHttp2(
    'frames of an unknown type',
    answeringRequests(ok, [SETTINGS, http2Frame(0xee, 0xff, [1, 2, 3], 0)]),
  ),

  withHttp2('zeros', sending(Buffer.alloc(100))),
  withHttp2('a line', sending(Buffer.from('\r\n'))),
  withHttp2('settings of 17,004 bytes', answeringRequests(ok, [settings(2_834)])),
  withHttp2('settings of 17,004 bytes after others', answeringRequests(ok, [SETTINGS, settings(2_834)])),
  withHttp2('33 settings', answeringRequests(ok, [settings(33)])),
  withHttp2('32 settings', answeringRequests(ok, [settings(32)])),
  withHttp2('300 PINGs', answeringRequests(ok, [SETTINGS, ...Array.from({ length: 300 }, () => PING)])),
  withHttp2('100 PINGs', answeringRequests(ok, [SETTINGS, ...Array.from({ length: 100 }, () => PING)])),
  withHttp2(
    'a PING on a stream',
    answeringRequests((stream) => [http2Frame(6, 0, Buffer.alloc(8), stream), okOn(stream)]),
  ),
  withHttp2(
    'GOAWAY on a stream',
    answeringRequests((stream) => [http2Frame(7, 0, Buffer.alloc(8), stream), okOn(stream)]),
  ),
  withHttp2(
    'PRIORITY of 4 bytes',
    answeringRequests((stream) => [http2Frame(2, 0, [0, 0, 0, 1], stream), okOn(stream)]),
  ),
  withHttp2(
    'RST_STREAM of 3 bytes',
    answeringRequests((stream) => [http2Frame(3, 0, [0, 0, 0], stream)]),
  ),
  withHttp2(
    'a window update of 0 on the stream',
    answeringRequests((stream) => [http2Frame(8, 0, [0, 0, 0, 0], stream), okOn(stream)]),
  ),
  withHttp2(
    'headers on stream 0',
    answeringRequests(() => [okOn(0)]),
  ),
  withHttp2(
    'a body on stream 0',
    answeringRequests((stream) => [http2Frame(0, 0, [1], 0), okOn(stream)]),
  ),
  withHttp2(
    'status 101',
    answeringRequests((stream) => [http2Frame(1, 5, [0x08, 3, ...Buffer.from('101')], stream)]),
  ),
];

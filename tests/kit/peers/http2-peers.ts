import { createServer } from 'node:http2';
import { flooding, type PeerBehaviour } from './raw-peers.ts';

/** Returns an HTTP/2 frame (RFC 9113 §4.1). By default it belongs to the stream of the client's first request. */
export function http2Frame(
  type: number,
  flags: number,
  payload: Uint8Array | number[] = [],
  stream = 1,
): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(9);
  header.writeUIntBE(body.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, body]);
}

/** The first frame of a server: SETTINGS without values. */
export const SETTINGS = http2Frame(4, 0, [], 0);
/** HEADERS with `:status: 200`. This frame ends both the header section and the stream. */
export const OK_HEADERS = http2Frame(1, 0x5, [0x88]);
/** Returns the same answer as `OK_HEADERS` on another stream. */
export const okOn = (stream: number): Buffer => http2Frame(1, 0x5, [0x88], stream);
/** `:status: 103`, not compressed. */
const EARLY_HINTS = [0x08, 0x03, ...Buffer.from('103')];

export const goaway = (last: number, code: number): Buffer =>
  http2Frame(7, 0, [0, 0, 0, last, 0, 0, 0, code], 0);
export const reset = (code: number, stream = 1): Buffer => http2Frame(3, 0, [0, 0, 0, code], stream);

/** Sends these bytes on the first request and keeps the connection open. */
export const sending =
  (...frames: readonly Buffer[]): PeerBehaviour =>
  (socket) =>
    void socket.resume().once('data', () => socket.write(Buffer.concat(frames)));

/** Sends these bytes on the first request and closes the connection. */
export const sendingAndClosing =
  (...frames: readonly Buffer[]): PeerBehaviour =>
  (socket) =>
    void socket.resume().once('data', () => socket.end(Buffer.concat(frames)));

/** Sends `start` on the first request, and then `frame` again and again, as fast as the client reads. */
const floodingAfter =
  (start: readonly Buffer[], frame: Buffer): PeerBehaviour =>
  (socket) => {
    socket.once('data', () => socket.write(Buffer.concat(start)));
    flooding(frame)(socket);
  };

const PREFACE_BYTES = 24;
const FRAME_HEADER_BYTES = 9;

/** Sends `first` at once, and `answer` on the stream of each request. The first stream is 1 with most clients, and 3 with Firefox. */
export const answeringRequests =
  (answer: (stream: number) => readonly Buffer[], first: readonly Buffer[] = [SETTINGS]): PeerBehaviour =>
  (socket) => {
    let rest = Buffer.alloc(0);
    let at = PREFACE_BYTES;
    socket.write(Buffer.concat(first));
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= at + FRAME_HEADER_BYTES) {
        const isHeaders = rest[at + 3] === 1;
        if (isHeaders) socket.write(Buffer.concat(answer(rest.readUInt32BE(at + 5))));
        at += FRAME_HEADER_BYTES + rest.readUIntBE(at, 3);
      }
    });
  };

/** Speaks HTTP/2 as it should and answers every request. */
export const speakingHttp2: PeerBehaviour = (socket) => void http2.emit('connection', socket);
const http2 = createServer((_request, response) => void response.end('ok'));

type Outcome = 'answered' | 'closed' | 'not_http2' | 'too_large' | 'timeout';

/** Servers that agree on HTTP/2 and misuse it, each with the result that a probe must have. */
export const HOSTILE_HTTP2: readonly [name: string, behave: PeerBehaviour, outcome: Outcome][] = [
  ['answers with HTTP/1.1', sendingAndClosing(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')), 'not_http2'],
  ['begins without SETTINGS', sending(OK_HEADERS), 'answered'],
  ['goes away before its settings', sendingAndClosing(goaway(0, 0)), 'closed'],
  [
    'acknowledges settings instead of sending its own',
    sending(http2Frame(4, 1, [], 0), OK_HEADERS),
    'answered',
  ],
  ['announces a frame of 16 MB', sending(SETTINGS, Buffer.from('ffffff000000000001', 'hex')), 'not_http2'],
  ['sends a body before its headers', sending(SETTINGS, http2Frame(0, 0, [1])), 'not_http2'],
  ['sends headers without a status', sending(SETTINGS, http2Frame(1, 5, [0x84])), 'not_http2'],
  [
    'sends headers that refer to an unknown field',
    sending(SETTINGS, http2Frame(1, 5, [0xff, 0x80, 1])),
    'not_http2',
  ],
  ['sends a field that is cut off', sending(SETTINGS, http2Frame(1, 5, [0x88, 0, 50, 0x61])), 'not_http2'],
  ['sends a field with an index of 0', sending(SETTINGS, http2Frame(1, 5, [0x88, 0x80])), 'not_http2'],
  [
    'sends a field name in upper case, in a frame of its own',
    sending(SETTINGS, http2Frame(1, 1, [0x88, 0, 1]), http2Frame(9, 4, [0x58, 1, 0x61])),
    'not_http2',
  ],
  [
    'sends a field with a line break',
    sending(SETTINGS, http2Frame(1, 5, [0x88, 0, 1, 0x61, 1, 0x0a])),
    'not_http2',
  ],
  [
    'refers to a dynamic table that we do not have',
    sending(SETTINGS, http2Frame(1, 5, [0x88, 0x5f, 1, 0x62, 0xbe])),
    'answered',
  ],
  [
    'sends a status of four digits',
    sending(SETTINGS, http2Frame(1, 5, [0x08, 4, ...Buffer.from('2000')])),
    'not_http2',
  ],
  ['switches protocols', sending(SETTINGS, http2Frame(1, 4, [0x08, 3, ...Buffer.from('101')])), 'not_http2'],
  [
    'sends padding beyond the end of the frame',
    sending(SETTINGS, http2Frame(1, 0xd, [9, 0x88])),
    'not_http2',
  ],
  ['answers on another stream', sending(SETTINGS, http2Frame(1, 5, [0x88], 3)), 'not_http2'],
  ['pushes a response', sending(SETTINGS, http2Frame(5, 4, [0, 0, 0, 2, 0x82])), 'not_http2'],
  [
    'puts a PING between its headers',
    sending(SETTINGS, http2Frame(1, 0, [0x88]), http2Frame(6, 0, Buffer.alloc(8), 0)),
    'not_http2',
  ],
  ['continues headers that have ended', sending(SETTINGS, http2Frame(9, 4, [0x88])), 'not_http2'],
  ['sends a PING of another length', sending(SETTINGS, http2Frame(6, 0, [1], 0)), 'not_http2'],
  [
    'compresses 4 GB into a header',
    floodingAfter([SETTINGS, http2Frame(1, 0, [0x88])], http2Frame(9, 0, Buffer.alloc(16_000, 0xbe))),
    'answered',
  ],
  [
    'floods CONTINUATION',
    floodingAfter([SETTINGS, http2Frame(1, 0, [0x88])], http2Frame(9, 0, [0x84])),
    'answered',
  ],
  [
    'floods empty CONTINUATION',
    floodingAfter([SETTINGS, http2Frame(1, 0, [0x88])], http2Frame(9, 0)),
    'answered',
  ],
  [
    'floods the headers of an interim response',
    floodingAfter([SETTINGS, http2Frame(1, 0, EARLY_HINTS)], http2Frame(9, 0, [0x84])),
    'too_large',
  ],
  ['floods SETTINGS', floodingAfter([], SETTINGS), 'too_large'],
  ['floods large SETTINGS', floodingAfter([], http2Frame(4, 0, Buffer.alloc(16_380), 0)), 'too_large'],
  ['floods PING', floodingAfter([SETTINGS], http2Frame(6, 0, Buffer.alloc(8), 0)), 'too_large'],
  ['floods WINDOW_UPDATE', floodingAfter([SETTINGS], http2Frame(8, 0, [0, 0, 0, 1], 0)), 'too_large'],
  ['floods PRIORITY', floodingAfter([SETTINGS], http2Frame(2, 0, [0, 0, 0, 0, 1])), 'too_large'],
  [
    'floods frames of an unknown type',
    floodingAfter([SETTINGS], http2Frame(77, 0, Buffer.alloc(16_000))),
    'too_large',
  ],
  ['floods interim responses', floodingAfter([SETTINGS], http2Frame(1, 4, EARLY_HINTS)), 'too_large'],
  [
    'floods empty DATA after its answer',
    floodingAfter([SETTINGS, http2Frame(1, 4, [0x88])], http2Frame(0, 0)),
    'answered',
  ],
  [
    'floods a body after its answer',
    floodingAfter([SETTINGS, http2Frame(1, 4, [0x88])], http2Frame(0, 0, Buffer.alloc(16_000))),
    'answered',
  ],
  [
    'floods trailers after its answer',
    floodingAfter([SETTINGS, http2Frame(1, 4, [0x88])], http2Frame(1, 4, [0x88])),
    'answered',
  ],
  ['resets the stream', sending(SETTINGS, reset(2)), 'closed'],
  ['refuses the stream', sending(SETTINGS, reset(7)), 'closed'],
  ['demands HTTP/1.1, and agrees on HTTP/2 again', sending(SETTINGS, reset(13)), 'closed'],
  ['says that it goes away', sending(SETTINGS, goaway(0, 0)), 'closed'],
  ['finds the encryption too weak', sending(SETTINGS, goaway(0, 12)), 'closed'],
  ['closes after its settings', sendingAndClosing(SETTINGS), 'closed'],
  ['closes in the middle of a frame', sendingAndClosing(SETTINGS, OK_HEADERS.subarray(0, 9)), 'closed'],
  ['closes at once', (socket) => void socket.end(), 'closed'],
  ['resets the connection', (socket) => void socket.once('data', () => socket.destroy()), 'closed'],
  ['is silent after its settings', sending(SETTINGS), 'timeout'],
  ['never ends its headers', sending(SETTINGS, http2Frame(1, 0, [0x88])), 'timeout'],
];

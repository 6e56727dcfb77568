import type { Http2Fault } from '../core/observation.ts';
import type { ResponseReader } from '../egress/http-response.ts';
import { faultsOfFields, statusOf } from './http2-fields.ts';

/** Number of header bytes, compressed, that are read; as many as of an HTTP/1.1 response. */
const MAX_HEADER_BYTES = 16 * 1024;
const FRAME_HEADER_BYTES = 9;
/** Largest payload of a frame, because we do not ask for larger ones (RFC 9113 §6.5.2). */
const MAX_FRAME_BYTES = 16 * 1024;
/**
 * Maximum number of frames in an answer. Servers need about five, and more if they send the body in small pieces. Limited because
 * many attacks consist of small frames (CONTINUATION, PING, SETTINGS, RST_STREAM), which we may have to answer.
 */
const MAX_FRAMES = 256;
/** Maximum number of bytes of an answer. More than headers and a body need, and far less than a connection may receive. */
const MAX_BYTES = 128 * 1024;
/** The flow control window, which we never enlarge (RFC 9113 §6.9.2): the server stops after so many bytes of a body. */
const WINDOW_BYTES = 65_535;

/** Frame types (RFC 9113 §6). */
const DATA = 0;
const HEADERS = 1;
const PRIORITY_FRAME = 2;
const RST_STREAM = 3;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;

/** Frame flags. */
const ACK = 0x1;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const PADDED = 0x8;
const PRIORITY = 0x20;

/** Error codes (RFC 9113 §7). */
const NO_ERROR = 0;
const CANCEL = 8;
const HTTP_1_1_REQUIRED = 13;

/** Settings whose values are limited (RFC 9113 §6.5.2). */
const ENABLE_PUSH = 2;
const INITIAL_WINDOW_SIZE = 4;
const MAX_FRAME_SIZE = 5;
const SETTING_BYTES = 6;
/** Number of settings that nghttp2 reads (NGHTTP2_DEFAULT_MAX_SETTINGS). */
const MAX_SETTINGS = 32;
/** Largest flow control window. */
const MAX_WINDOW = 2 ** 31 - 1;

/** Faults of fields that Chrome does not tolerate. */
const ENDING: readonly Http2Fault[] = ['malformed_frame', 'second_status', 'transfer_encoding'];

/** The only stream of a connection, for our request. */
const STREAM = 1;
const EMPTY = Buffer.alloc(0);

const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  // SETTINGS_HEADER_TABLE_SIZE 0: header fields cannot refer to earlier ones. SETTINGS_ENABLE_PUSH 0.
  frame(SETTINGS, 0, 0, Buffer.from([0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0])),
]);

/** Returns the first bytes of a connection with one request (RFC 9113 §8.3.1). `authority`: host, and port unless it is 443. */
export function http2Request(method: 'HEAD' | 'GET', authority: string, userAgent: string): Buffer {
  const fields = Buffer.concat([
    literal(2, method),
    // `:scheme: https` and `:path: /` of the static table.
    Buffer.from([0x87, 0x84]),
    literal(1, authority),
    literal(58, userAgent),
    literal(19, '*/*'),
  ]);
  return Buffer.concat([PREFACE, frame(HEADERS, END_STREAM | END_HEADERS, STREAM, fields)]);
}

/** Returns the frames that cancel our request, if it is still open, and end the connection (RFC 9113 §6.8). */
export function http2Farewell(isOpen: boolean): Buffer {
  const cancel = isOpen ? frame(RST_STREAM, 0, STREAM, Buffer.from([0, 0, 0, CANCEL])) : EMPTY;
  return Buffer.concat([cancel, frame(GOAWAY, 0, 0, Buffer.alloc(8))]);
}

export interface Http2Reader extends ResponseReader {
  /** Returns whether nothing more is read: the server ended or reset the stream or the connection, or broke the protocol. */
  hasEnded(): boolean;
  /** Returns whether the server demands that the request be sent by HTTP/1.1 (RFC 9113 §7). */
  wantsHttp1(): boolean;
  /** Returns the faults found so far, without `no_answer`. */
  faults(): Http2Fault[];
}

/**
 * Creates a reader for the response to `http2Request` that keeps only the status and the number of body bytes. Answers SETTINGS and
 * PING with `send`, and holds at most one frame and one header section. Node's own client costs 150 µs more CPU time than ours.
 */
export function createHttp2Reader(send: (frame: Buffer) => void): Http2Reader {
  let rest: Buffer = EMPTY;
  let frames = 0;
  let bytes = 0;
  let headerBytes = 0;
  let bodyBytes = 0;
  let status: number | null = null;
  /** The current header section, with its fields so far; null before and after one. */
  let open: { fields: Buffer; endsStream: boolean } | null = null;
  let outcome: 'done' | 'not_http' | 'too_large' | null = null;
  let hasEnded = false;
  let wantsHttp1 = false;
  let window = WINDOW_BYTES;
  /** Faults found so far. Reading continues after faults that Chrome tolerates. */
  const faults = new Set<Http2Fault>();

  const fail = (state: 'not_http' | 'too_large'): void => {
    // The status comes first, so it may be known although the headers are too large.
    const found = state === 'too_large' && outcome === null && open !== null ? statusOf(open.fields) : null;
    if (found !== null && found >= 200) status = found;
    outcome ??= state;
    hasEnded = true;
  };
  const breakOff = (fault: Http2Fault): void => {
    faults.add(fault);
    fail('not_http');
  };
  const close = (code: number): void => {
    wantsHttp1 = status === null && code === HTTP_1_1_REQUIRED;
    hasEnded = true;
  };

  const readFields = (flags: number, fields: Buffer, endsStream: boolean): void => {
    const section = open === null ? fields : Buffer.concat([open.fields, fields]);
    open = (flags & END_HEADERS) === 0 ? { fields: section, endsStream } : null;
    if (open !== null) return;
    // A header section after the response holds trailers.
    const found = status ?? statusOf(section);
    if (found === null) return breakOff('malformed_frame');
    if (status === null) for (const fault of faultsOfFields(section)) faults.add(fault);
    if (ENDING.some((fault) => faults.has(fault))) return fail('not_http');
    if (found === 101) return breakOff('switched_protocols');
    if (found >= 200) {
      status = found;
      outcome = 'done';
    }
    if (endsStream) hasEnded = true;
  };

  const read = ({ type, flags, stream, payload }: Frame): void => {
    if (frames++ === 0) {
      if (type !== SETTINGS) faults.add('late_settings');
      else if ((flags & ACK) !== 0) faults.add('odd_settings');
    }
    if (frames > MAX_FRAMES) return fail('too_large');
    if ((type === HEADERS || type === CONTINUATION) && (headerBytes += payload.length) > MAX_HEADER_BYTES)
      return fail('too_large');
    // Nothing may come between the frames of a header section (RFC 9113 §6.10).
    if ((open !== null) !== (type === CONTINUATION)) return breakOff('malformed_frame');
    const isOurs = stream === STREAM;
    const endsStream = (flags & END_STREAM) !== 0;
    switch (type) {
      case HEADERS: {
        const fields = withoutPadding(flags, payload);
        return isOurs && fields !== null
          ? readFields(flags, fields, endsStream)
          : breakOff('malformed_frame');
      }
      case CONTINUATION:
        return isOurs && open !== null
          ? readFields(flags, payload, open.endsStream)
          : breakOff('malformed_frame');
      case DATA:
        if (!isOurs) return breakOff('malformed_frame');
        if (status === null) return breakOff('forbidden_frame');
        bodyBytes += payload.length;
        if (endsStream || bodyBytes >= WINDOW_BYTES) hasEnded = true;
        return undefined;
      case RST_STREAM:
        return isOurs && payload.length === 4 ? close(payload.readUInt32BE()) : breakOff('malformed_frame');
      case SETTINGS: {
        if ((flags & ACK) !== 0) return payload.length === 0 ? undefined : breakOff('malformed_frame');
        if (stream !== 0 || payload.length % SETTING_BYTES !== 0) return breakOff('malformed_settings');
        for (const fault of faultsOfSettings(payload)) faults.add(fault);
        return send(frame(SETTINGS, ACK, 0, EMPTY));
      }
      case PUSH_PROMISE:
        return breakOff('malformed_frame');
      case PING:
        if (stream !== 0 || payload.length !== 8) return breakOff('malformed_frame');
        return (flags & ACK) === 0 ? send(frame(PING, ACK, 0, payload)) : undefined;
      case GOAWAY: {
        if (stream !== 0 || payload.length < 8) return breakOff('malformed_frame');
        const [last, code] = [payload.readUInt32BE() & 0x7f_ff_ff_ff, payload.readUInt32BE(4)];
        // NO_ERROR announces that the connection will end, for example for maintenance. Streams up to the named one are still
        // answered.
        return code === NO_ERROR && last >= STREAM ? undefined : close(code);
      }
      case WINDOW_UPDATE: {
        if (payload.length !== 4) return breakOff('malformed_frame');
        const more = payload.readUInt32BE() & MAX_WINDOW;
        if (stream === 0) window += more;
        if (more === 0) return breakOff(stream === 0 ? 'forbidden_frame' : 'malformed_frame');
        return window > MAX_WINDOW ? breakOff('malformed_frame') : undefined;
      }
      case PRIORITY_FRAME:
        return payload.length === 5 ? undefined : breakOff('malformed_frame');
      default:
        // Frames of unknown types are ignored (RFC 9113 §4.1).
        return undefined;
    }
  };

  /** Returns the fault of a frame of this type that is too long: `large_frame`, which Go accepts, only where the type is allowed. */
  const faultOfLength = (type = 0): Http2Fault => {
    if (frames === 0 && type !== SETTINGS) return 'garbage';
    return type === DATA && status === null ? 'malformed_frame' : 'large_frame';
  };

  /** Reads the next frame. Returns false if it is not complete yet, or if nothing more is read. */
  const readNext = (): boolean => {
    if (hasEnded || rest.length < FRAME_HEADER_BYTES) return false;
    const length = rest.readUIntBE(0, 3);
    if (length > MAX_FRAME_BYTES) breakOff(faultOfLength(rest[3]));
    const end = FRAME_HEADER_BYTES + length;
    if (hasEnded || rest.length < end) return false;
    const [type = 0, flags = 0] = rest.subarray(3, 5);
    const stream = rest.readUInt32BE(5) & 0x7f_ff_ff_ff;
    const payload = rest.subarray(FRAME_HEADER_BYTES, end);
    rest = rest.subarray(end);
    read({ type, flags, stream, payload });
    return true;
  };

  return {
    status: () => status,
    bodyBytes: () => bodyBytes,
    hasEnded: () => hasEnded,
    wantsHttp1: () => wantsHttp1,
    faults: () => [...faults],
    push(chunk) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) fail('too_large');
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (readNext());
      if (hasEnded) rest = EMPTY;
      return outcome ?? 'more';
    },
  };
}

/** Returns the faults in the values of a SETTINGS frame because of which some clients end the connection (RFC 9113 §6.5.2). */
function faultsOfSettings(payload: Buffer): Http2Fault[] {
  const faults: Http2Fault[] = payload.length > MAX_SETTINGS * SETTING_BYTES ? ['odd_settings'] : [];
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const [id, value] = [payload.readUInt16BE(at), payload.readUInt32BE(at + 2)];
    if (id === INITIAL_WINDOW_SIZE && value > MAX_WINDOW) faults.push('invalid_window');
    if (id === MAX_FRAME_SIZE && (value < MAX_FRAME_BYTES || value >= 2 ** 24))
      faults.push('invalid_frame_size');
    if (id === ENABLE_PUSH && value !== 0) faults.push('odd_settings');
  }
  return faults;
}

interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

/** Returns the field block fragment of a HEADERS frame; null if the frame is too short. */
function withoutPadding(flags: number, payload: Buffer): Buffer | null {
  const isPadded = (flags & PADDED) !== 0;
  const start = (isPadded ? 1 : 0) + ((flags & PRIORITY) === 0 ? 0 : 5);
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  return start <= end ? payload.subarray(start, end) : null;
}

/** Returns a frame (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** Returns a field whose name is in the static table and whose value is not compressed (RFC 7541 §6.2.2). */
function literal(name: number, value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(name, 4), integer(bytes.length, 7), bytes]);
}

/** Returns an integer with a prefix of so many bits, whose other bits are zero (RFC 7541 §5.1). */
function integer(value: number, prefixBits: number): Buffer {
  const most = 2 ** prefixBits - 1;
  if (value < most) return Buffer.from([value]);
  const bytes = [most];
  let left = value - most;
  for (; left >= 128; left = left >> 7) bytes.push((left & 0x7f) | 0x80);
  return Buffer.from([...bytes, left]);
}

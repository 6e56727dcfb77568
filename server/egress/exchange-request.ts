import type { TLSSocket } from 'node:tls';
import type { Resolver } from './resolver.ts';
import type { AddressPolicy } from './address-policy.ts';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { decode, decoderFor } from './content-coding.ts';
import { createResponseReader } from './http-response.ts';
import { type ConnectFailure, TooManyBytesError } from './open-connection.ts';

/**
 * Starts TLS over a connected socket. If it verifies the peer, the returned socket emits `secureConnect` only after the
 * peer has passed.
 */
export type SecureSocket = (socket: Socket, host: string) => TLSSocket;

export interface ExchangeOptions {
  url: URL;
  method?: 'GET' | 'POST' | 'PUT';
  /**
   * Extra request headers. They may replace Host and User-Agent, but not Accept-Encoding, Connection or Content-Length. They
   * may contain credentials: redirects are not followed, so only the host of the URL receives them.
   */
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  resolver: Resolver;
  policy: AddressPolicy;
  signal: AbortSignal;
  /** Deadline for the whole exchange, name resolution included. */
  deadlineMs: number;
  /** Limit for the body in bytes, as sent and as decoded. 0 skips the body: the exchange ends after the headers. */
  maxBytes: number;
  /** Handling of a longer body: fail (`refuse`, the default), or keep its first `maxBytes` (`cut`). */
  longer?: 'refuse' | 'cut';
  /**
   * Allowed ports. `usual` (the default): 80 and 443, and every port on addresses in a range that the operator opened.
   * `high`: also every port from 1024 on. A list: only these ports, on any address.
   */
  ports?: 'usual' | 'high' | readonly number[];
  /** Starts TLS for https. Default: TLS verified against the public roots. */
  secure?: SecureSocket;
  /** Called with each permitted address of the host before it is tried. */
  onAddress?(address: string): void;
  /** Called for each address that could not be connected to. */
  onFailedConnection?(reason: ConnectFailure): void;
}

/**
 * Reasons why there is no response. `not_allowed`: the URL, its port or an address of its host is not permitted. `timeout`
 * also means that the signal aborted.
 */
export type ExchangeFailure =
  'not_allowed' | 'unreachable' | 'timeout' | 'insecure' | 'malformed' | 'too_large';

/**
 * Response to one request, or the reason why there is none. Redirects count as responses too: a caller that follows one
 * must validate each hop again. `body` is empty if the status is not 2xx or `maxBytes` is 0, because it is not read then.
 */
export type ExchangeResult =
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer }
  | { ok: false; reason: ExchangeFailure };

/**
 * Header limit of Node's parser. It is above the 16 KiB of `createResponseReader`, and the parser counts only names and
 * values, so it never rejects a response first.
 */
const PARSER_HEADER_BYTES = 32 * 1024;

/**
 * Sends the request over `stream` and reads the response, then destroys both sockets. `transport` is the TCP socket
 * under a TLS `stream`, otherwise `stream` itself. Never rejects because of what the peer does.
 */
export function sendRequest(
  stream: Socket,
  transport: Socket,
  options: ExchangeOptions,
): Promise<ExchangeResult> {
  const { url, method = 'GET', headers, body } = options;
  return new Promise<ExchangeResult>((resolve) => {
    const fail = (reason: ExchangeFailure) => (): void => resolve({ ok: false, reason });
    const onError = (error: NodeJS.ErrnoException): void => resolve({ ok: false, reason: failureOf(error) });
    transport.on('error', onError);
    const clientRequest = request({
      createConnection: () => stream,
      method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        'user-agent': 'Certlantern',
        ...headers,
        // Some servers compress nevertheless; `decode` handles that.
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body && { 'content-length': String(body.length) }),
      },
      maxHeaderSize: PARSER_HEADER_BYTES,
    });
    limitHeaders(stream, fail('too_large'));
    clientRequest.on('error', onError).on('close', fail('unreachable'));
    clientRequest.on('response', (response) => {
      response.on('error', onError).on('close', fail('unreachable'));
      readResponse(response, options, resolve);
    });
    clientRequest.end(body);
  }).finally(() => {
    stream.destroy();
    transport.destroy();
  });
}

/**
 * Calls `onTooLarge` if the header section, interim responses included, exceeds the limit. Must be attached before
 * Node's parser, which would otherwise emit the response first.
 */
function limitHeaders(stream: Socket, onTooLarge: () => void): void {
  const reader = createResponseReader();
  const count = (chunk: Buffer): void => {
    const state = reader.push(chunk);
    if (state === 'more') return;
    stream.off('data', count);
    if (state === 'too_large') onTooLarge();
  };
  stream.on('data', count);
}

function failureOf(error: NodeJS.ErrnoException): ExchangeFailure {
  if (error instanceof TooManyBytesError || error.code === 'HPE_HEADER_OVERFLOW') return 'too_large';
  return error.code?.startsWith('HPE_') === true ? 'malformed' : 'unreachable';
}

function readResponse(
  response: IncomingMessage,
  { maxBytes, longer = 'refuse' }: ExchangeOptions,
  done: (exchanged: ExchangeResult | Promise<ExchangeResult>) => void,
): void {
  const { headers, statusCode: status = 0 } = response;
  const isWanted = maxBytes > 0 && status >= 200 && status <= 299;
  if (!isWanted) return done({ ok: true, status, headers, body: Buffer.alloc(0) });
  if (longer === 'refuse' && Number(headers['content-length'] ?? 0) > maxBytes)
    return done({ ok: false, reason: 'too_large' });
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => done(decoded(Buffer.concat(chunks).subarray(0, maxBytes)));
  const createDecoder = decoderFor(headers['content-encoding']);
  const decoded = async (sent: Buffer): Promise<ExchangeResult> => {
    const body = createDecoder === null ? sent : await decode(sent, createDecoder, { maxBytes, longer });
    return typeof body === 'string' ? { ok: false, reason: body } : { ok: true, status, headers, body };
  };
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    // If a longer body is refused, do not buffer the chunk that exceeds the limit.
    if (length <= maxBytes || longer === 'cut') chunks.push(chunk);
    if (length <= maxBytes) return;
    if (longer === 'cut') finish();
    else done({ ok: false, reason: 'too_large' });
    response.destroy();
  });
  response.on('end', finish);
}

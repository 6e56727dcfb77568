import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Exchanged, ExchangeFailure, ExchangeOptions } from './exchange.ts';
import { createAnswerReader } from './http-answer.ts';
import { TooManyBytes } from './open-connection.ts';

/** The parser counts names and values only: above what `createAnswerReader` takes, it refuses nothing that that one does not. */
const PARSER_HEADER_BYTES = 32 * 1024;

/** Sends the request over this stream and reads the answer. `below` is the connection that carries the stream. */
export function sendRequest(stream: Socket, below: Socket, options: ExchangeOptions): Promise<Exchanged> {
  const { url, method = 'GET', headers, body } = options;
  return new Promise<Exchanged>((resolve) => {
    const fail = (reason: ExchangeFailure) => (): void => resolve({ ok: false, reason });
    const broken = (error: NodeJS.ErrnoException): void => resolve({ ok: false, reason: failureOf(error) });
    below.on('error', broken);
    const asking = request({
      createConnection: () => stream,
      method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        'user-agent': 'Certlantern',
        ...headers,
        // One that is packed all the same is refused: nothing is ever unpacked here.
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body && { 'content-length': String(body.length) }),
      },
      maxHeaderSize: PARSER_HEADER_BYTES,
    });
    countHeaders(stream, fail('too_large'));
    asking.on('error', broken).on('close', fail('unreachable'));
    asking.on('response', (response) => {
      response.on('error', broken).on('close', fail('unreachable'));
      read(response, options, resolve);
    });
    asking.end(body);
  }).finally(() => {
    stream.destroy();
    below.destroy();
  });
}

/**
 * Hears of an answer whose header section, interim answers included, is longer than any may be. It listens before the parser does,
 * which would pass the answer on.
 */
function countHeaders(stream: Socket, onTooLarge: () => void): void {
  const reader = createAnswerReader();
  const count = (chunk: Buffer): void => {
    const state = reader.push(chunk);
    if (state === 'more') return;
    stream.off('data', count);
    if (state === 'too_large') onTooLarge();
  };
  stream.on('data', count);
}

function failureOf(error: NodeJS.ErrnoException): ExchangeFailure {
  if (error instanceof TooManyBytes || error.code === 'HPE_HEADER_OVERFLOW') return 'too_large';
  return error.code?.startsWith('HPE_') === true ? 'malformed' : 'unreachable';
}

function read(
  response: IncomingMessage,
  { maxBytes, longer = 'refuse' }: ExchangeOptions,
  done: (exchanged: Exchanged) => void,
): void {
  const { headers, statusCode: status = 0 } = response;
  const isWanted = maxBytes > 0 && status >= 200 && status <= 299;
  if (!isWanted) return done({ ok: true, status, headers, body: Buffer.alloc(0) });
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return done({ ok: false, reason: 'malformed' });
  if (longer === 'refuse' && Number(headers['content-length'] ?? 0) > maxBytes)
    return done({ ok: false, reason: 'too_large' });
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void =>
    done({ ok: true, status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes) });
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    // What lies past the cap is dropped at once, however fast it comes.
    if (length <= maxBytes || longer === 'cut') chunks.push(chunk);
    if (length <= maxBytes) return;
    if (longer === 'cut') finish();
    else done({ ok: false, reason: 'too_large' });
    response.destroy();
  });
  response.on('end', finish);
}

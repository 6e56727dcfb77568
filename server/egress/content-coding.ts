import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Creates a stream that decodes a body. `first`: the first byte of that body. */
type CreateDecoder = (first: number) => Transform;

/** Compression method in the low four bits of the first byte of a zlib stream (RFC 1950 §2.2). */
const ZLIB_METHOD = 8;

const DECODERS = new Map<string, CreateDecoder>([
  ['gzip', () => createGunzip()],
  // Old name of gzip, to be treated alike (RFC 9110 §8.4.1.3).
  ['x-gzip', () => createGunzip()],
  // The coding is a zlib stream (RFC 9110 §8.4.1.2), but some servers send the deflate stream without its zlib header.
  ['deflate', (first) => ((first & 0xf) === ZLIB_METHOD ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Returns the decoder for a Content-Encoding header. Returns null, so that the body is read as it was sent, if the header
 * names several codings or one that we do not know: some servers send names such as "none" or "utf-8".
 */
export function decoderFor(contentEncoding: string | undefined): CreateDecoder | null {
  return DECODERS.get(contentEncoding?.trim().toLowerCase() ?? '') ?? null;
}

/**
 * Decodes a body and stops above `maxBytes`, so that a small body cannot fill the memory. With `cut`, returns the first
 * `maxBytes` bytes of a longer body, and what can be decoded of an incomplete one.
 */
export async function decode(
  body: Buffer,
  createDecoder: CreateDecoder,
  { maxBytes, longer }: { maxBytes: number; longer: 'refuse' | 'cut' },
): Promise<Buffer | 'too_large' | 'malformed'> {
  const [first] = body;
  if (first === undefined) return body;
  const chunks: Buffer[] = [];
  let length = 0;
  const decoder = createDecoder(first);
  decoder.end(body);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch {
    if (longer === 'refuse' || length === 0) return 'malformed';
  }
  if (length > maxBytes && longer === 'refuse') return 'too_large';
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

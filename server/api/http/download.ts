import { ReadableStream, TextEncoderStream } from 'node:stream/web';
import type { AppContext } from './app-env.ts';

/** Streams a file while its text is generated. The file's name ends with the UTC day of `now` (ms UTC). */
export function download(
  c: AppContext,
  file: { contentType: string; name: string; extension: string; text: AsyncIterable<string>; now: number },
): Response {
  c.header('Content-Type', file.contentType);
  const day = new Date(file.now).toISOString().slice(0, 10);
  c.header('Content-Disposition', `attachment; filename="${file.name}-${day}.${file.extension}"`);
  // Nobody reads the body of a HEAD response, so its generator would never finish.
  if (c.req.method === 'HEAD') return c.body(null);
  const bytes = ReadableStream.from(file.text).pipeThrough(new TextEncoderStream());
  return c.body(bytes as globalThis.ReadableStream);
}

import { ReadableStream, TextEncoderStream } from 'node:stream/web';
import type { AppContext } from './app-env.ts';

/** Streams a file while its text is generated. The file name contains the UTC day of `now` (ms UTC). */
export function respondWithFile(
  c: AppContext,
  file: { contentType: string; name: string; extension: string; text: AsyncIterable<string>; now: number },
): Response {
  c.header('Content-Type', file.contentType);
  const day = new Date(file.now).toISOString().slice(0, 10);
  c.header('Content-Disposition', `attachment; filename="${file.name}-${day}.${file.extension}"`);
  // Send no body for HEAD: nobody would read it, so its generator would never finish.
  if (c.req.method === 'HEAD') return c.body(null);
  const bytes = ReadableStream.from(file.text).pipeThrough(new TextEncoderStream());
  return c.body(bytes as globalThis.ReadableStream);
}

/**
 * Streams an object as JSON text: async iterables item by item, all other values at once. So a list of any length needs no more
 * memory than its longest item. `wireValue` converts names and times.
 */
export async function* jsonDocument(
  document: Record<string, unknown>,
): AsyncGenerator<string, void, undefined> {
  let between = '{\n';
  for (const [name, value] of Object.entries(document)) {
    yield `${between}  ${JSON.stringify(name)}: `;
    between = ',\n';
    if (!isAsyncIterable(value)) {
      yield indented(value, 1);
      continue;
    }
    let opening = '[\n    ';
    for await (const item of value) {
      yield opening + indented(item, 2);
      opening = ',\n    ';
    }
    yield opening.startsWith('[') ? '[]' : '\n  ]';
  }
  yield '\n}\n';
}

/**
 * Converts names to snake_case and times (ms UTC) to ISO 8601, as all answers of the API have them. Recognises times by their
 * names, such as `…_at`.
 */
function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const isInstant =
        typeof each === 'number' && /(?:^|_)(?:at|since)$|^as_of$|^not_(?:before|after)$/.test(name);
      return [name, isInstant ? isoText(each) : wireValue(each)];
    }),
  );
}

/** Formats an instant (ms UTC) as ISO 8601. Returns instants beyond the range of JavaScript's Date as numbers. */
function isoText(instant: number): string | number {
  return Math.abs(instant) <= 8.64e15 ? new Date(instant).toISOString() : instant;
}

/**
 * Returns a value as JSON whose lines after the first are indented. Line breaks are always between values: JSON strings contain
 * none.
 */
function indented(value: unknown, depth: number): string {
  return JSON.stringify(wireValue(value) ?? null, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

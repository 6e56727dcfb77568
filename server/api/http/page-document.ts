import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptsEncoding, contentHash, isKnownToClient } from './answer-cache.ts';
import type { AppContext } from './app-env.ts';

/** Responds with a page. Forbids caches to store it unless the status is 200. */
export type PageDocument = (c: AppContext, status?: 200 | 404) => Response;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Escapes text for HTML and for quoted attributes. */
export const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Replaces each `{{name}}` with its HTML-escaped value. Placeholders without a value stay as they are. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  // Replace in one pass, so that placeholders inside a value are not expanded.
  return template.replaceAll(/\{\{\w+\}\}/g, (placeholder) => {
    const value = values[placeholder];
    return value === undefined ? placeholder : escapeHtml(value);
  });
}

/**
 * Returns a function that responds with an HTML page that is the same for everybody. Compresses the page on first use; clients
 * revalidate it by its ETag.
 */
export function pageDocument(html: string): PageDocument {
  const plain = Buffer.from(html);
  const compressed = {
    br: memoize(() => new Uint8Array(brotliCompressSync(plain))),
    gzip: memoize(() => new Uint8Array(gzipSync(plain, { level: 9 }))),
  };
  // Use a weak ETag, because all encodings of the page share it (RFC 9110 §8.8.1).
  const tag = `W/"${contentHash(plain)}"`;

  return (c, status = 200) => {
    c.header('Content-Type', 'text/html; charset=utf-8');
    c.header('Vary', 'Accept-Encoding', { append: true });
    c.header('Cache-Control', status === 200 ? 'no-cache' : 'no-store');
    if (status === 200) {
      c.header('ETag', tag);
      if (isKnownToClient(c, tag)) return c.body(null, 304);
    }
    const encoding = (['br', 'gzip'] as const).find((name) =>
      acceptsEncoding(c.req.header('accept-encoding') ?? '', name),
    );
    if (encoding === undefined) return c.body(new Uint8Array(plain), status);
    c.header('Content-Encoding', encoding);
    return c.body(compressed[encoding](), status);
  };
}

/**
 * Returns a function that calls `make` on first use and then returns the same value, so that processes that do not need the value
 * start faster.
 */
export function memoize<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}

import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AppContext } from './app-env.ts';

/** Function that responds with a page. Caches must not store a response with another status than 200. */
export type PageDocument = (c: AppContext, status?: 200 | 404) => Response;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Replaces each `{{name}}` by its HTML-escaped value. Placeholders without a value stay as they are. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  // Replace in one pass, so that placeholders inside a value are not expanded.
  return template.replaceAll(/\{\{\w+\}\}/g, (placeholder) => {
    const value = values[placeholder];
    return value === undefined ? placeholder : escaped(value);
  });
}

/**
 * Returns a function that responds with an HTML page that is the same for everybody: compressed on first use, and
 * revalidated by its ETag.
 */
export function pageDocument(html: string): PageDocument {
  const plain = Buffer.from(html);
  const compressed = {
    br: memoize(() => new Uint8Array(brotliCompressSync(plain))),
    gzip: memoize(() => new Uint8Array(gzipSync(plain, { level: 9 }))),
  };
  // A weak ETag, because all encodings of the page share it (RFC 9110 §8.8.1).
  const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;

  return (c, status = 200) => {
    c.header('Content-Type', 'text/html; charset=utf-8');
    c.header('Vary', 'Accept-Encoding', { append: true });
    c.header('Cache-Control', status === 200 ? 'no-cache' : 'no-store');
    if (status === 200) {
      c.header('ETag', tag);
      if (matchesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304);
    }
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(c.req.header('accept-encoding'), name));
    if (encoding === undefined) return c.body(new Uint8Array(plain), status);
    c.header('Content-Encoding', encoding);
    return c.body(compressed[encoding](), status);
  };
}

const listItems = (header = '') => header.split(',').map((entry) => entry.trim().toLowerCase());

function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const opaque = (entry: string) => entry.trim().replace(/^W\//, '');
  return (ifNoneMatch ?? '')
    .split(',')
    .some((entry) => entry.trim() === '*' || opaque(entry) === opaque(tag));
}

function accepts(acceptEncoding: string | undefined, name: string): boolean {
  return listItems(acceptEncoding).some((entry) => {
    const [coding, ...parameters] = entry.split(';').map((part) => part.trim());
    return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Memoizes `make` and calls it on first use, so that processes which never need its value start faster. */
export function memoize<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}

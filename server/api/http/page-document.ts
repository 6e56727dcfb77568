import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AppContext } from './app-env.ts';

/** Answers a request with the page; a status other than 200 is not for keeping. */
export type PageDocument = (c: AppContext, status?: 200 | 404) => Response;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Puts values in the place of `{{name}}`, escaped; what has no value stays as it is. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  // In one go: a value is never looked through for placeholders.
  return template.replaceAll(/\{\{\w+\}\}/g, (placeholder) => {
    const value = values[placeholder];
    return value === undefined ? placeholder : escaped(value);
  });
}

/** An HTML page that is the same for everybody: compressed once, when first asked for, and asked for anew each time by its tag. */
export function pageDocument(html: string): PageDocument {
  const plain = Buffer.from(html);
  const packed = {
    br: lazily(() => new Uint8Array(brotliCompressSync(plain))),
    gzip: lazily(() => new Uint8Array(gzipSync(plain, { level: 9 }))),
  };
  // Weak: the same for each compression.
  const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;

  return (c, status = 200) => {
    c.header('Content-Type', 'text/html; charset=utf-8');
    c.header('Vary', 'Accept-Encoding', { append: true });
    c.header('Cache-Control', status === 200 ? 'no-cache' : 'no-store');
    if (status === 200) {
      c.header('ETag', tag);
      if (holds(c.req.header('if-none-match'), tag)) return c.body(null, 304);
    }
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(c.req.header('accept-encoding'), name));
    if (encoding === undefined) return c.body(new Uint8Array(plain), status);
    c.header('Content-Encoding', encoding);
    return c.body(packed[encoding](), status);
  };
}

const listed = (header = '') => header.split(',').map((entry) => entry.trim().toLowerCase());

function holds(ifNoneMatch: string | undefined, tag: string): boolean {
  const opaque = (entry: string) => entry.trim().replace(/^W\//, '');
  return (ifNoneMatch ?? '')
    .split(',')
    .some((entry) => entry.trim() === '*' || opaque(entry) === opaque(tag));
}

function accepts(acceptEncoding: string | undefined, name: string): boolean {
  return listed(acceptEncoding).some((entry) => {
    const [coding, ...parameters] = entry.split(';').map((part) => part.trim());
    return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Made when it is first asked for, and kept: not every process of many comes to need it, and each would start later. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

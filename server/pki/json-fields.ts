/* Readers for the fields of JSON from strangers. Each returns null for anything that is not what it reads. */

export function jsonObject(body: Uint8Array): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

/** Returns the entries of a list; none if the value is no list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns the bytes of base64 in its only correct spelling (RFC 4648 §4). */
export function asBase64(value: unknown): Uint8Array | null {
  if (typeof value !== 'string') return null;
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : null;
}

/** Pattern of a date-time (RFC 3339 §5.6). */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Returns a date-time in ms UTC. */
export function parseInstant(value: unknown): number | null {
  if (typeof value !== 'string' || !TIMESTAMP.test(value)) return null;
  const at = Date.parse(value.toUpperCase());
  return Number.isNaN(at) ? null : at;
}

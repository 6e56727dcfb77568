import { z } from 'zod';

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

/** Thrown for stored JSON whose shape this program does not know. */
class StoredJsonError extends Error {
  override name = 'StoredJsonError';
}

/**
 * Returns a decoder for a column with JSON of one shape. The decoder throws StoredJsonError if the text has another shape. The
 * message names `shape` and the wrong paths, but no stored value.
 */
export function storedJson<T>(shape: string, schema: z.ZodType<T>): (text: string) => T {
  const decoder = json.pipe(schema);
  return (text) => {
    const decoded = decoder.safeParse(text);
    if (decoded.success) return decoded.data;
    throw new StoredJsonError(
      `The database has ${shape} that cannot be read: ${z.prettifyError(decoded.error)}`,
    );
  };
}

/** Returns a decoder for a column with JSON of one shape. The decoder returns null for text of another shape. */
export function storedJsonOrNull<T>(schema: z.ZodType<T>): (text: string) => T | null {
  const decoder = json.pipe(schema);
  return (text) => decoder.safeParse(text).data ?? null;
}

/** Decoder for lists of strings, such as tags and scopes. */
export const storedStrings = storedJson('a list of strings', z.array(z.string()));

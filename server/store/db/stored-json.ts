import { z } from 'zod';

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

/** Stored JSON has another shape than this program writes and reads. */
class StoredJsonError extends Error {
  override name = 'StoredJsonError';
}

/**
 * Returns a decoder of one shape that a column holds as JSON. It throws StoredJsonError when the text has another shape. The error
 * names `shape` and the paths that are wrong, but no stored value.
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

/** Returns a decoder like `storedJson`, but one that gives null for another shape. */
export function storedJsonOrNull<T>(schema: z.ZodType<T>): (text: string) => T | null {
  const decoder = json.pipe(schema);
  return (text) => decoder.safeParse(text).data ?? null;
}

/** Decodes tags and scopes. */
export const storedStrings = storedJson('a list of strings', z.array(z.string()));

import { createHash } from 'node:crypto';
import type { AppContext } from './app-env.ts';

/**
 * Answers with a text and its tag, or with 304 where the asker has that text already. `headers` are of both. What is switched
 * off has to be gone at once, so that nobody may show it without having asked.
 */
export function taggedAnswer(
  c: AppContext,
  text: string,
  { contentType, headers }: { contentType: string; headers: Record<string, string> },
): Response {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const all = { ...headers, ETag: tag };
  if (holds(c.req.header('if-none-match'), tag)) return c.body(null, 304, all);
  return c.body(text, 200, { ...all, 'Content-Type': contentType });
}

/** What packs an answer on its way makes its tag a weak one. */
function holds(ifNoneMatch: string | undefined, tag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
}

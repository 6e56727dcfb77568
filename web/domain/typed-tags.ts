import { MAX_TAGS } from '../../contract/words.ts';
import { tagSchema } from '../../contract/domain.ts';

export type TypedTags = { ok: true; tags: string[] } | { ok: false; error: string };

/** Returns the domain's tags plus the comma-separated ones from the input, without duplicates. */
export function typedTags(line: string, had: readonly string[] = []): TypedTags {
  const all = new Set(had);
  for (const part of line.split(',')) {
    if (part.trim() === '') continue;
    const parsed = tagSchema.safeParse(part);
    if (!parsed.success) return { ok: false, error: tagError(parsed.error.issues[0]) };
    all.add(parsed.data);
  }
  if (all.size > MAX_TAGS) return { ok: false, error: `A domain can have at most ${MAX_TAGS} tags` };
  return { ok: true, tags: [...all] };
}

/** Returns the input without the tags that were stored. */
export function withoutTags(line: string, stored: readonly string[]): string {
  const isLeft = (part: string) => {
    const parsed = tagSchema.safeParse(part);
    return !(parsed.success && stored.includes(parsed.data));
  };
  return line.split(',').filter(isLeft).join(',').trimStart();
}

function tagError(issue: { code: string; message: string; maximum?: unknown } | undefined): string {
  if (issue?.code === 'too_big') return `A tag can have at most ${String(issue.maximum)} characters`;
  return issue?.message ?? 'Enter a tag';
}

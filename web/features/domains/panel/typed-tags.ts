import { MOST_TAGS } from '../../../../contract/constants.ts';
import { tagSchema } from '../../../../contract/domain.ts';

export type TypedTags = { ok: true; tags: string[] } | { ok: false; error: string };

/** The tags that a domain then has: those it has, and those in the typed line, parted by commas. */
export function withTypedTags(tags: readonly string[], line: string): TypedTags {
  const all = new Set(tags);
  for (const part of line.split(',')) {
    if (part.trim() === '') continue;
    const parsed = tagSchema.safeParse(part);
    if (!parsed.success) return { ok: false, error: tagError(parsed.error.issues[0]) };
    all.add(parsed.data);
  }
  if (all.size > MOST_TAGS) return { ok: false, error: `A domain has at most ${MOST_TAGS} tags` };
  return { ok: true, tags: [...all] };
}

function tagError(issue: { code: string; message: string; maximum?: unknown } | undefined): string {
  if (issue?.code === 'too_big') return `A tag has at most ${String(issue.maximum)} characters`;
  return issue?.message ?? 'This is no tag';
}

import { MOST_TAGS } from '../../../../contract/constants.ts';
import { tagSchema } from '../../../../contract/domain.ts';

/** 'Web, prod' → ['web', 'prod'], or the first thing that is wrong with it. */
export function typedTags(text: string): { tags: string[] } | { error: string } {
  const tags = new Set<string>();
  for (const word of text.split(',')) {
    if (word.trim() === '') continue;
    const tag = tagSchema.safeParse(word);
    if (!tag.success)
      return { error: `“${word.trim().slice(0, 60)}”: ${tag.error.issues[0]?.message ?? 'not a tag'}` };
    tags.add(tag.data);
  }
  if (tags.size > MOST_TAGS) return { error: `A domain has at most ${MOST_TAGS} tags` };
  return { tags: [...tags] };
}

const SHOWN = 2;

/** A domain's tags: the first two, and how many more there are. */
export function TagList({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - SHOWN;
  return (
    <span className="flex min-w-0 items-center gap-1" title={tags.join(', ')}>
      <span className="sr-only">Tags: </span>
      {tags.slice(0, SHOWN).map((tag) => (
        <span
          key={tag}
          className="max-w-24 min-w-0 truncate rounded-1 border border-line bg-sunken px-1.5 text-small text-fg-2"
        >
          {tag}
        </span>
      ))}
      {more > 0 && <span className="flex-none text-small text-fg-3">+{more}</span>}
    </span>
  );
}

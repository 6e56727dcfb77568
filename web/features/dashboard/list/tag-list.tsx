import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { counted } from '../../../lib/format.ts';
import { classNames } from '../../../ui/class-names.ts';

const GAP = 4;
/** Width of the text '+19', in px. */
const MORE_WIDTH = 24;

/** Shows as many whole tags as fit and the number of the others. If no tag fits, shows only the number of tags. */
export function TagList({ tags }: TagListProps) {
  return tags.length === 0 ? null : <FittingTags key={tags.join()} tags={tags} />;
}

interface TagListProps {
  tags: readonly string[];
}

function FittingTags({ tags }: TagListProps) {
  const list = useRef<HTMLSpanElement>(null);
  const [shown, setShown] = useState(tags.length);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    // The observer calls first after the browser's own layout and before it paints. Measuring in the effect itself would
    // force a layout in the task in which React mounts a page of cards.
    const observer = new ResizeObserver(() => {
      const widths = [...element.querySelectorAll<HTMLElement>('[data-tag]')].map((tag) => tag.offsetWidth);
      flushSync(() => setShown(countFitting(widths, element.clientWidth)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const more = tags.length - shown;
  return (
    <span
      ref={list}
      title={tags.join(', ')}
      // Tags that do not fit wrap into a hidden line, so that no word is cut.
      className="relative flex h-5 min-w-0 flex-1 flex-wrap content-start items-center gap-x-1 overflow-hidden before:-mr-1 before:h-5 before:w-0"
    >
      <span className="sr-only">Tags: {tags.join(', ')}</span>
      <span aria-hidden="true" className="contents">
        {tags.map((tag, index) => (
          // Tags without room stay in the document, so that they can be measured.
          <span
            key={tag}
            data-tag=""
            className={classNames(
              'flex-none rounded-1 border border-line bg-sunken px-1.5 text-small whitespace-nowrap text-fg-2',
              index >= shown && 'invisible absolute',
            )}
          >
            {tag}
          </span>
        ))}
        {more > 0 && (
          <span className="num flex-none text-small text-fg-3">
            {shown > 0 ? `+${more}` : counted(more, 'tag')}
          </span>
        )}
      </span>
    </span>
  );
}

/** Returns how many tags of these widths fit beside each other; all in px. */
export function countFitting(widths: readonly number[], room: number): number {
  let used = 0;
  for (const [index, width] of widths.entries()) {
    used += width + (index === 0 ? 0 : GAP);
    const isLast = index === widths.length - 1;
    if (used + (isLast ? 0 : GAP + MORE_WIDTH) > room) return index;
  }
  return widths.length;
}

import { classNames } from '../../../ui/class-names.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import type { CardLine } from './card-line.ts';

/** What is wrong with a domain in a few words; the whole sentence is its title. `className` sets its type. */
export function TroubleLine({ trouble, className }: { trouble: CardLine; className?: string }) {
  const isCritical = trouble.tone === 'critical';
  if (trouble.tone === 'quiet')
    return (
      <span title={trouble.title} className={classNames('block truncate text-fg-2', className)}>
        {trouble.text}
      </span>
    );
  return (
    <span
      title={trouble.title}
      className={classNames(
        'flex min-w-0 items-center gap-1.5 font-[520]',
        isCritical ? 'text-critical-fg' : 'text-soon-fg',
        className,
      )}
    >
      <Glyph
        name={isCritical ? 'critical' : 'soon'}
        className={classNames(
          'size-[13px] [--glyph-cut:var(--surface)]',
          isCritical ? 'text-critical-mark' : 'text-soon-mark',
        )}
      />
      <span className="truncate">{trouble.text}</span>
    </span>
  );
}

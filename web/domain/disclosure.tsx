import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../ui/class-names.ts';

const SUMMARY =
  'flex cursor-pointer list-none rounded-2 [&::-webkit-details-marker]:hidden hover:bg-sunken focus-visible:bg-sunken';

/** An arrow that turns when the surrounding `details` element opens. */
export function Chevron({ className }: { className?: string }) {
  return (
    <ChevronDown
      className={classNames(
        'size-4 flex-none text-fg-3 transition-[rotate] duration-120 [details[open]>summary>&]:rotate-180',
        className,
      )}
      strokeWidth={1.6}
      aria-hidden="true"
    />
  );
}

interface DisclosureProps {
  /** Line that is always visible and that unfolds the rest when clicked. */
  summary: ReactNode;
  /** Unfolds the rest when it becomes true. */
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
}

/** Shows one line that unfolds the rest. */
export function Disclosure({ summary, isOpen, onToggle, className, children }: DisclosureProps) {
  return (
    <details className={className} open={isOpen} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className={classNames(SUMMARY, '-mx-1.5 w-fit min-h-11 items-center gap-1 px-1.5 md:min-h-7')}>
        <span className="text-meta text-fg-2">{summary}</span>
        <Chevron className="size-3.5" />
      </summary>
      {children}
    </details>
  );
}

interface FoldedSectionProps {
  title: string;
  /** The line that is always visible. */
  line: ReactNode;
  /** Whether the section is open at first, because something in it needs attention. */
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Shows a section of the panel that folds to one line if all is well. */
export function FoldedSection({ title, line, isOpen = false, onToggle, children }: FoldedSectionProps) {
  return (
    <section className="border-b border-line px-5 py-2.5 last:border-b-0">
      <details open={isOpen} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
        <summary className={classNames(SUMMARY, '-mx-2 min-h-11 items-center gap-2 px-2 py-2')}>
          <div className="min-w-0 flex-1">
            <h3 className="text-label font-semibold">{title}</h3>
            <p className="mt-0.5 min-h-5 text-label text-fg-2 [overflow-wrap:anywhere]">{line}</p>
          </div>
          <Chevron />
        </summary>
        <div className="pt-1.5 pb-2">{children}</div>
      </details>
    </section>
  );
}

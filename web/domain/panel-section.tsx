import type { ReactNode } from 'react';
import { classNames } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy-button.tsx';

interface PanelSectionProps {
  title: string;
  /** True if only screen readers get the title, because the tab above has the same words. */
  isTitleHidden?: boolean;
  /** Small text or a button at the right of the title. */
  aside?: ReactNode;
  children: ReactNode;
}

export function PanelSection({ title, isTitleHidden = false, aside, children }: PanelSectionProps) {
  return (
    <section className="border-b border-line px-5 pt-[18px] pb-5 last:border-b-0">
      <div className={classNames('mb-3 flex items-center justify-between gap-3', isTitleHidden && 'sr-only')}>
        <h3 className="text-label font-semibold">{title}</h3>
        {aside !== undefined && aside !== false && <span className="num text-meta text-fg-3">{aside}</span>}
      </div>
      {children}
    </section>
  );
}

/** Lists certificate facts in the two columns that `className` sets. */
export function Facts({ className, children }: { className: string; children: ReactNode }) {
  return <dl className={classNames('grid gap-y-[9px] text-[13px]/5', className)}>{children}</dl>;
}

interface FactProps {
  term: string;
  /** True to set the value in monospace. */
  mono?: boolean;
  /** Text for the copy button, which appears on hover or focus. */
  copy?: string | undefined;
  /** Shows the fact below its term instead of beside it. */
  isWide?: boolean;
  children: ReactNode;
}

export function Fact({ term, mono = false, copy, isWide = false, children }: FactProps) {
  return (
    <>
      <dt className={classNames('[overflow-wrap:anywhere] text-fg-3', isWide && 'col-span-2 -mb-1.5')}>
        {term}
      </dt>
      <dd
        className={classNames(
          'min-w-0 [overflow-wrap:anywhere]',
          isWide && 'col-span-2',
          copy && 'group flex items-start gap-1',
        )}
      >
        {copy || mono ? (
          <span className={classNames('min-w-0 flex-1', mono && 'font-mono text-[12.5px]')}>{children}</span>
        ) : (
          children
        )}
        {copy && (
          // Lets the touch target extend into the margin.
          <span className="max-md:-mr-3">
            <CopyButton label={`Copy: ${term}`} text={copy} />
          </span>
        )}
      </dd>
    </>
  );
}

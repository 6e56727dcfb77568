import type { ReactNode } from 'react';
import { sentenceOf } from '../../../lib/api-error.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';

interface PanelSectionProps {
  title: string;
  /** Small text, or a button, at the title's right. */
  aside?: ReactNode;
  children: ReactNode;
}

export function PanelSection({ title, aside, children }: PanelSectionProps) {
  return (
    <section className="border-b border-line px-5 pt-[18px] pb-5 last:border-b-0">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h3 className="text-label font-semibold">{title}</h3>
        {aside !== undefined && aside !== false && <span className="num text-meta text-fg-3">{aside}</span>}
      </div>
      {children}
    </section>
  );
}

interface SectionErrorProps {
  /** What could not be loaded. */
  title: string;
  error: unknown;
  isRetrying: boolean;
  onRetry: () => void;
}

/** Where one section could not be read; the others stand. */
export function SectionError({ title, error, isRetrying, onRetry }: SectionErrorProps) {
  return (
    <div role="alert" className="text-label">
      <p className="font-[520]">{title}</p>
      <p className="mt-0.5 text-fg-2 [overflow-wrap:anywhere]">
        {sentenceOf(error)} Checks go on; only this part is affected.
      </p>
      <Button variant="outline" size="small" className="mt-3" busy={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Facts of a certificate, each after its name, in the two columns that `className` gives. */
export function Facts({ className, children }: { className: string; children: ReactNode }) {
  return <dl className={classNames('grid gap-y-[9px] text-[13px]/5', className)}>{children}</dl>;
}

interface FactProps {
  term: string;
  /** As a machine has it. */
  mono?: boolean;
  /** What its copy button copies, which shows where the fact is hovered or focused. */
  copy?: string | undefined;
  /** Below its name, over both columns. */
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
          // A finger's width reaches into the margin.
          <span className="max-md:-mr-3">
            <CopyButton label={`Copy: ${term}`} text={copy} />
          </span>
        )}
      </dd>
    </>
  );
}

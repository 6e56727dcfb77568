import { classNames } from '../../../ui/class-names.ts';
import { Skeleton } from '../../../ui/loading.tsx';
import { messageOf } from '../../../lib/api-error.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { LinkButton } from '../../../ui/button.tsx';

/** Tells whether a row whose page could not be read shows the error. Every sixth row does, so that one of them is always in view. */
export const showsErrorAt = (index: number): boolean => index % 6 === 0;

/** Reserves the exact geometry of a card. */
export function CardSkeleton() {
  return (
    <div className="flex min-h-[206px] flex-col rounded-4 border border-line bg-surface shadow-1">
      <div className="flex items-center gap-3 pt-4 pr-2.5 pl-[18px]">
        <Skeleton className="size-8 rounded-3" />
        <div className="flex-1 py-[3.5px]">
          <Skeleton className="h-3 w-[58%]" />
          <Skeleton className="mt-2 h-2.5 w-[38%]" />
        </div>
      </div>
      <div className="px-[18px] pt-4 pb-3.5">
        <div className="mb-[9px] flex h-[26px] items-center justify-between">
          <Skeleton className="h-[18px] w-[92px]" />
          <Skeleton className="h-3 w-[52px]" />
        </div>
        <div className="py-1.5">
          <Skeleton className="h-1" />
        </div>
        <div className="mt-1.5 flex h-[18px] items-center justify-between">
          <Skeleton className="h-2.5 w-24" />
          <Skeleton className="h-2.5 w-24" />
        </div>
      </div>
      <div className="mt-auto flex min-h-[43px] items-center border-t border-line px-[18px]">
        <Skeleton className="h-[9px] w-[224px] max-w-[75%]" />
      </div>
    </div>
  );
}

/** Shows as many placeholder cards as the first view has. */
export function GridSkeleton() {
  return (
    <div className="@container">
      <div aria-hidden="true" className={GRID}>
        {Array.from({ length: 6 }, (_, index) => (
          <CardSkeleton key={index} />
        ))}
      </div>
    </div>
  );
}

/** 12 px between cards below 720 px, else 16. The columns also depend on the room that the panel leaves; needs a `@container`. */
export const GRID = 'grid grid-cols-1 gap-3 md:gap-4 md:@min-[600px]:grid-cols-2 xl:@min-[940px]:grid-cols-3';

/** Reserves the space of a row's content. */
export function RowSkeleton({ className }: { className?: string }) {
  return (
    <span className={classNames('flex min-h-10 items-center gap-2.5', className)}>
      <Skeleton className="size-[18px]" />
      <Skeleton className="h-3 w-44 max-w-[60%]" />
    </span>
  );
}

export function TableSkeleton() {
  return (
    <div aria-hidden="true" className="overflow-hidden rounded-4 border border-line bg-surface shadow-1">
      <div className="h-[38px] border-b border-line bg-sunken" />
      {Array.from({ length: 8 }, (_, index) => (
        <div
          key={index}
          className="flex h-[99px] items-center border-b border-line px-5 last:border-b-0 md:h-12"
        >
          <RowSkeleton className="flex-1" />
          <Skeleton className="h-3 w-24" />
        </div>
      ))}
    </div>
  );
}

/** Replaces a domain whose page could not be loaded. */
export function FailedCell({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-label text-fg-2">
      <Glyph name="critical" className="size-4 text-critical-mark [--glyph-cut:var(--surface)]" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {messageOf(error)} <LinkButton onClick={onRetry}>Try again</LinkButton>
      </span>
    </span>
  );
}

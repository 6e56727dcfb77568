import type { ReactNode } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { Skeleton, useDelayed } from '../../../ui/loading.tsx';

const RING =
  "after:absolute after:top-[3px] after:left-0 after:size-4 after:rounded-full after:border-3 after:bg-surface after:content-['']";
const LINE =
  "before:absolute before:top-[17px] before:-bottom-1.5 before:left-[7px] before:w-0.5 before:bg-line before:content-[''] last:before:hidden";

/** Shows one entry of a timeline, inside an `ol`; the current one is highlighted. */
export function TimelineItem({ isCurrent, children }: { isCurrent: boolean; children: ReactNode }) {
  return (
    <li
      className={classNames(
        'relative pb-[18px] pl-6 text-[13px]/5 last:pb-0',
        RING,
        LINE,
        isCurrent ? 'after:border-ok-mark' : 'after:border-elapsed',
      )}
    >
      {children}
    </li>
  );
}

const SKELETON_DELAY_MS = 150;

/** Shows three placeholder rows after a delay. */
export function LoadingRows({ text }: { text: string }) {
  const isSlow = useDelayed(SKELETON_DELAY_MS);
  if (!isSlow) return <div className="h-40" />;
  return (
    <div>
      <output className="mb-3 block text-label text-fg-2">{text}</output>
      {Array.from({ length: 3 }, (_, index) => (
        <div key={index} className="pb-[18px] pl-6 last:pb-0">
          <Skeleton className="h-3 w-3/5" />
          <Skeleton className="mt-2 h-2.5 w-2/5" />
          <Skeleton className="mt-2 h-2.5 w-1/2" />
        </div>
      ))}
    </div>
  );
}

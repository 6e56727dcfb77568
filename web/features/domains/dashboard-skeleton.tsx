import { Skeleton } from '../../ui/skeleton.tsx';
import { DashboardHead } from './dashboard-head.tsx';
import { useDelayed } from './use-delayed.ts';

const SHOW_AFTER_MS = 150;

/** The page while its first answer is on the way; cards of the exact geometry, so that nothing moves afterwards. */
export function DashboardSkeleton() {
  if (!useDelayed(SHOW_AFTER_MS)) return null;
  return (
    <div className="wrap">
      <DashboardHead headline="Domains" detail={[{ text: 'Loading your domains', isHost: false }]} />
      <div aria-hidden="true" className="grid grid-cols-1 gap-3 md:grid-cols-2 md:gap-4 xl:grid-cols-3">
        {Array.from({ length: 6 }, (_, index) => (
          <CardSkeleton key={index} />
        ))}
      </div>
    </div>
  );
}

function CardSkeleton() {
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
        <Skeleton className="h-2 w-40" />
      </div>
    </div>
  );
}

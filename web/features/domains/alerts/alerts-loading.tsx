import { Skeleton } from '../../../ui/skeleton.tsx';
import { useDelayed } from '../use-delayed.ts';

const SKELETON_DELAY_MS = 150;

/** As tall as a domain's alerts are where all is well; drawn once it takes long enough to be noticed. */
export function AlertsLoading() {
  const isSlow = useDelayed(SKELETON_DELAY_MS);
  return (
    <div aria-busy="true" className="min-h-[116px] md:min-h-[84px]">
      <span className="sr-only">Loading alerts...</span>
      {isSlow && (
        <div className="grid gap-4">
          <Skeleton className="h-3.5 w-64 max-w-full" />
          <Skeleton className="h-3 w-40" />
          <Skeleton className="h-3 w-48" />
        </div>
      )}
    </div>
  );
}

import { Skeleton, useDelayed } from '../../ui/loading.tsx';

const SKELETON_DELAY_MS = 150;

/** Reserves the height of the alerts of a healthy domain. Appears only after a delay. */
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

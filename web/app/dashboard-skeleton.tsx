import { GridSkeleton } from '../features/dashboard/list/skeletons.tsx';
import { Skeleton } from '../ui/loading.tsx';
import { Wordmark } from '../ui/logo.tsx';

/**
 * Shows the outlines of the dashboard until its code has loaded, which takes seconds on a slow connection. It is in the HTML,
 * beside the app's root element; it covers and hides that element until the app shows a page.
 */
export function DashboardSkeleton({ productName }: { productName: string }) {
  return (
    <div data-skeleton="" className="fixed inset-0 z-50 overflow-hidden bg-bg noscript:hidden">
      <header className="h-14 border-b border-line bg-surface md:h-15">
        <div className="wrap flex h-full items-center">
          <Wordmark name={productName} />
        </div>
      </header>
      <main className="wrap">
        <div className="pt-5 pb-4 md:pt-8 md:pb-5">
          <h1 className="text-[21px]/[27px] font-bold tracking-[-.02em] md:text-page md:tracking-[-.022em]">
            Domains
          </h1>
          <p className="mt-2 flex min-h-8 items-center text-body text-fg-2">Loading your domains</p>
        </div>
        <div className="h-[180px] rounded-4 border border-line bg-surface shadow-1 md:h-[230px]" />
        <div className="flex justify-between pt-3 pb-2 md:pt-4 md:pb-3">
          <Skeleton className="h-10 w-52 md:h-9" />
          <Skeleton className="h-10 w-32 max-md:hidden md:h-9" />
        </div>
        <GridSkeleton />
      </main>
    </div>
  );
}

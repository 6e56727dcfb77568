import { useQuery } from '@tanstack/react-query';
import { notFound, useParams } from '@tanstack/react-router';
import { publicStatus } from '../../../../contract/calls/status.ts';
import { callPublic } from '../../../lib/http.ts';
import { ApiError, sentenceOf } from '../../../lib/api-error.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Button } from '../../../ui/button.tsx';
import { DayRuler } from '../../../ui/horizon/day-ruler.tsx';
import { LazyThemeMenu } from '../../../ui/lazy-theme-menu.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import { Skeleton } from '../../../ui/loading.tsx';
import { StatusView } from './status-view.tsx';
import { lastUpdate } from './status-words.ts';

const RETRY_MS = 30_000;

/** Shows a public status page, which refreshes itself. */
export function PublicStatusPage() {
  const { slug } = useParams({ from: '/query-cache/status/$slug' });
  const now = useNow();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useQuery({
    queryKey: ['public-status', slug],
    queryFn: ({ signal }) => callPublic(publicStatus, { params: { slug }, signal }),
    staleTime: 0,
    refetchInterval: RETRY_MS,
    refetchOnWindowFocus: true,
  });
  usePageTitle(data?.title ?? 'Status');
  // If the page has been switched off, it disappears for people who have it open too.
  if (error instanceof ApiError && error.status === 404) throw notFound();
  return (
    <div className="flex min-h-dvh flex-col">
      <main className="mx-auto w-full max-w-[776px] flex-1 px-4 pt-8 pb-14 md:px-7 md:pt-14">
        {error && (
          <NotRead
            message={
              data
                ? `Last updated ${lastUpdate(dataUpdatedAt, { now })}. ${sentenceOf(error)}`
                : `Could not load this page: ${sentenceOf(error)}`
            }
            isRetrying={isFetching}
            onRetry={() => void refetch()}
          />
        )}
        {data ? (
          <StatusView status={data} now={now} level={1} feed={`/status/${slug}/feed.atom`} />
        ) : (
          !error && <Loading />
        )}
      </main>
      <Foot />
    </div>
  );
}

function NotRead({
  message,
  isRetrying,
  onRetry,
}: {
  message: string;
  isRetrying: boolean;
  onRetry: () => void;
}) {
  return (
    <div role="alert" className="mb-6 rounded-4 border border-line bg-surface px-4 py-3.5 sm:px-5">
      <p className="[overflow-wrap:anywhere] text-fg-2">{message}</p>
      <Button variant="outline" size="small" className="mt-3" busy={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

function Foot() {
  const { product_name: productName } = usePublicConfig();
  return (
    <footer>
      <div className="mx-auto flex w-full max-w-[776px] items-center justify-between px-4 pb-4 text-meta text-fg-3 md:px-7">
        <span>
          Watched by{' '}
          <a href="/landing" className="link inline-flex items-center max-md:min-h-11">
            {productName}
          </a>
        </span>
        <span className="print:hidden">
          <LazyThemeMenu />
        </span>
      </div>
      <DayRuler />
    </footer>
  );
}

function Loading() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading...</span>
      <Skeleton className="h-8 w-56 max-w-full" />
      <Skeleton className="mt-4 h-[54px] w-full" />
      <div className="mt-5 grid gap-px">
        {[0, 1, 2].map((line) => (
          <Skeleton key={line} className="h-[76px] w-full" />
        ))}
      </div>
    </div>
  );
}

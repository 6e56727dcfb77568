import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { sentenceOf } from '../../../lib/api-error.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { StatusView } from '../public/status-view.tsx';
import { previewStatusPage } from '../status-calls.ts';
import { choicesOf } from './page-draft.ts';
import type { PageDraft } from './page-draft.ts';
import { useSettled } from './use-settled.ts';

/** What anybody would see with what is chosen now, saved or not. */
export function PagePreview({ draft }: { draft: PageDraft }) {
  const now = useNow();
  // The title is drawn from here: typing it asks for nothing.
  const choices = useMemo(() => JSON.stringify({ ...choicesOf(draft), title: 'Preview' }), [draft]);
  const settled = useSettled(choices);
  const { data, error } = useQuery({
    queryKey: ['status-page-preview', settled],
    queryFn: ({ signal }) => previewStatusPage(JSON.parse(settled) as ReturnType<typeof choicesOf>, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  if (error) return <p role="alert">There is no preview: {sentenceOf(error)}</p>;
  return (
    <div className="rounded-4 border border-line-2 bg-bg p-4 sm:p-6" role="group" aria-label="Preview">
      {data ? (
        <StatusView status={{ ...data, title: draft.title.trim() || 'Your title' }} now={now} level={3} />
      ) : (
        <div aria-busy="true">
          <span className="sr-only">Loading...</span>
          <Skeleton className="h-7 w-40" />
          <Skeleton className="mt-4 h-[54px] w-full" />
          <Skeleton className="mt-5 h-[76px] w-full" />
        </div>
      )}
    </div>
  );
}

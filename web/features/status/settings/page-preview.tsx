import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { previewStatusPage } from '../../../../contract/calls/status.ts';
import { call } from '../../../lib/api-client.ts';
import { sentenceOf } from '../../../lib/api-error.ts';
import { grouped, listed } from '../../../lib/format.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Skeleton } from '../../../ui/loading.tsx';
import { StatusView } from '../public/status-view.tsx';
import { choicesOf, type PageDraft } from './page-draft.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

/** Shows the draft as visitors would see it. */
export function PagePreview({ draft }: { draft: PageDraft }) {
  const now = useNow();
  // The request has a fixed title, and the typed one is rendered locally, so that typing a title sends no request.
  const choices = useMemo(() => JSON.stringify({ ...choicesOf(draft), title: 'Preview' }), [draft]);
  const debounced = useDebounced(choices);
  const { data, error } = useQuery({
    queryKey: ['status-page-preview', debounced],
    queryFn: ({ signal }) =>
      call(previewStatusPage, { body: JSON.parse(debounced) as ReturnType<typeof choicesOf>, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  if (error) return <p role="alert">Could not load the preview: {sentenceOf(error)}</p>;
  return (
    <div
      className="max-h-[max(20rem,calc(100dvh-12.5rem))] overflow-y-auto rounded-4 border border-line-2 bg-bg p-4 sm:p-6"
      role="group"
      aria-label="Preview"
    >
      {data ? (
        <>
          <StatusView status={{ ...data, title: draft.title.trim() || 'Your title' }} now={now} level={3} />
          {data.private_names.length > 0 && <PrivateNames names={data.private_names} />}
        </>
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

/** Number of names that are listed in full. */
const MAX_LISTED = 5;

function PrivateNames({ names }: { names: readonly string[] }) {
  const rest = names.length - MAX_LISTED;
  const shown = [...names.slice(0, MAX_LISTED), ...(rest > 0 ? [`${grouped(rest)} more`] : [])];
  return (
    <p className="mt-5 text-label [overflow-wrap:anywhere] text-fg-2">
      Not published, because the names are private: {listed(shown)}. To publish one, add it under “Names”.
    </p>
  );
}

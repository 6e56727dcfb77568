import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { previewAlerts } from './alert-calls.ts';
import type { Preview, PreviewQuestion } from './alert-calls.ts';
import { ALERT_KEYS } from './alert-queries.ts';

const PAUSE_MS = 300;

/** What would be sent if nobody renewed. Asked for once the question has stood for a moment; the answer before stays meanwhile. */
export function usePreview(question: PreviewQuestion): UseQueryResult<Preview> {
  const asked = useRested(JSON.stringify(question));
  return useQuery({
    queryKey: [...ALERT_KEYS.preview, asked],
    queryFn: ({ signal }) => previewAlerts(JSON.parse(asked) as PreviewQuestion, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

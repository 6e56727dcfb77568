import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { z } from 'zod';
import { reportSchema } from '../../../../contract/domain-report.ts';
import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { api } from '../../../lib/api-client.ts';

const answer = z.object({ data: reportSchema });

async function fetchReport(id: string, signal: AbortSignal): Promise<ReportWire> {
  const path = `/domain/${encodeURIComponent(id)}/report`;
  return (await api(path, { schema: answer, failureText: 'Failed to get me.', signal })).data;
}

export interface ReportRead {
  /** The last that could be read; undefined until there is one. */
  report: ReportWire | undefined;
  /** Why the last reading failed, where it did. `report` may be older then. */
  error: Error | null;
  /** When `report` was read, ms UTC. */
  readAt: number;
  isReading: boolean;
  readAgain: () => void;
}

/** What the last check concluded about the domain: read when its panel opens, and anew after each check. */
export function useReport({ id, last_checked_at: lastCheckedAt }: DomainWire): ReportRead {
  const { data, error, dataUpdatedAt, isFetching, refetch } = useQuery({
    queryKey: ['domains', 'report', id],
    queryFn: ({ signal }) => fetchReport(id, signal),
    // What another visit left stays in sight until the answer is here.
    staleTime: 0,
    enabled: lastCheckedAt !== null,
  });
  const seen = useRef(lastCheckedAt);
  useEffect(() => {
    if (seen.current === lastCheckedAt) return;
    seen.current = lastCheckedAt;
    void refetch();
  }, [lastCheckedAt, refetch]);
  return {
    report: data,
    error,
    readAt: dataUpdatedAt,
    isReading: isFetching,
    readAgain: () => void refetch(),
  };
}

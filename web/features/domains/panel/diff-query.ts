import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { historyDiffSchema } from '../../../../contract/domain-report.ts';
import type { HistoryDiffWire } from '../../../../contract/domain-report.ts';
import { api } from '../../../lib/api-client.ts';

const answer = z.object({ data: historyDiffSchema });

/** Two certificates of a domain's history, by their fingerprints. */
export interface HistoryPair {
  domainId: string;
  /** The older one. */
  from: string;
  to: string;
}

async function fetchDiff({ domainId, from, to }: HistoryPair, signal: AbortSignal): Promise<HistoryDiffWire> {
  const path = `/domain/${encodeURIComponent(domainId)}/history/diff?${new URLSearchParams({ from, to }).toString()}`;
  return (await api(path, { schema: answer, failureText: 'Failed to get me.', signal })).data;
}

/** What changed between the two, once somebody wants to know. Certificates never change: it is read once. */
export function useHistoryDiff(pair: HistoryPair, isWanted: boolean) {
  return useQuery({
    queryKey: ['domains', 'history-diff', pair.domainId, pair.from, pair.to],
    queryFn: ({ signal }) => fetchDiff(pair, signal),
    staleTime: Infinity,
    enabled: isWanted,
  });
}

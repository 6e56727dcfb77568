import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { domainChain, domainReport } from '../../../../contract/calls/domain.ts';
import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';

export interface ReportRead {
  /** The last report that loaded; undefined before the first. */
  report: ReportWire | undefined;
  /** Why the last refresh failed; `report` may then be stale. */
  error: Error | null;
  /** When `report` was read, in ms UTC. */
  readAt: number;
  isReading: boolean;
  readAgain: () => void;
}

/** Reads the report when the panel opens and after each check. */
export function useReport({ id, last_checked_at: lastCheckedAt }: DomainWire): ReportRead {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useQuery({
    queryKey: ['domains', 'report', id],
    queryFn: ({ signal }) => call(domainReport, { params: { id }, failureText: 'Failed to get me.', signal }),
    // Read it again whenever the panel opens; until it arrives, the cached report is shown.
    staleTime: 0,
    enabled: lastCheckedAt !== null,
  });
  const seen = useRef(lastCheckedAt);
  useEffect(() => {
    if (seen.current === lastCheckedAt) return;
    seen.current = lastCheckedAt;
    // A first read that began before the check would otherwise be joined, and its report would be shown as the new one.
    void client.cancelQueries({ queryKey: ['domains', 'report', id] }).then(() => refetch());
  }, [client, id, lastCheckedAt, refetch]);
  return {
    report: data,
    error,
    readAt: dataUpdatedAt,
    isReading: isFetching,
    readAgain: () => void refetch(),
  };
}

/**
 * Reads the chain that the endpoint sent with the certificate of this fingerprint, in the order sent. Reads again when the
 * fingerprint changes.
 */
export function useCertificateChain(id: string, fingerprint: string | null) {
  return useQuery({
    queryKey: ['domains', 'chain', id, fingerprint],
    queryFn: ({ signal }) => call(domainChain, { params: { id }, failureText: 'Failed to get me.', signal }),
    enabled: fingerprint !== null,
  });
}

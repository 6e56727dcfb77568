import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { lookUpHost } from '../../../../contract/calls/domain.ts';
import type { hostLookupSchema } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

export type HostLookup = z.infer<typeof hostLookupSchema>;

const lookupOf = (host: string) => ({
  queryKey: ['host-lookup', host],
  queryFn: ({ signal }: { signal: AbortSignal }) => call(lookUpHost, { query: { host }, signal }),
  staleTime: 10_000,
  retry: false,
  // Otherwise an offline page would wait for the lookup instead of saying that it is offline.
  networkMode: 'always' as const,
});

/**
 * Looks a typed host up when the person stops typing. `found` is null until then and if the lookup failed. `look` looks any text up
 * at once, or returns what is known already; it never rejects.
 */
export function useHostLookup(typed: string) {
  const client = useQueryClient();
  const host = typed.trim();
  const debounced = useDebounced(host);
  // A name without a dot is not complete yet.
  const isWanted = debounced === host && host.includes('.');
  const { data } = useQuery({ ...lookupOf(debounced), enabled: isWanted });
  const look = async (text: string): Promise<HostLookup | null> => {
    try {
      return await client.fetchQuery(lookupOf(text.trim()));
    } catch {
      return null;
    }
  };
  return { found: isWanted ? (data ?? null) : null, look };
}

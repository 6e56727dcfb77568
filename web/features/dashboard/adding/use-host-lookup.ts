import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { lookUpHost } from '../../../../contract/calls/domain.ts';
import type { hostLookupSchema } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

export type HostLookup = z.infer<typeof hostLookupSchema>;

const lookupOf = (host: string) => ({
  queryKey: ['host-lookup', host],
  // Without the query's signal, so that the lookup of a submitted host goes on when the person types the next one.
  queryFn: () => call(lookUpHost, { query: { host } }),
  staleTime: 10_000,
  retry: false,
  // Otherwise an offline page would wait for the lookup instead of saying that it is offline.
  networkMode: 'always' as const,
});

/**
 * Looks a typed host up when the person stops typing. `found` is null until then and if the lookup failed. `look` looks any text up
 * at once, or returns what is known already; it throws if the lookup failed.
 */
export function useHostLookup(typed: string) {
  const client = useQueryClient();
  const host = typed.trim();
  const debounced = useDebounced(host);
  // A name without a dot is not complete yet.
  const isWanted = debounced === host && host.includes('.');
  const { data } = useQuery({ ...lookupOf(debounced), enabled: isWanted });
  const look = (text: string): Promise<HostLookup> => client.fetchQuery(lookupOf(text.trim()));
  return { found: isWanted ? (data ?? null) : null, look };
}

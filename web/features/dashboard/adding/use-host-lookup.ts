import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { lookUpHost } from '../../../../contract/calls/domain.ts';
import type { addDomainSchema } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

export type HostLookup = z.infer<typeof lookUpHost.response>['data'];
/** A domain to add. */
export type NewDomain = z.infer<typeof addDomainSchema>;

const lookupOf = (wanted: NewDomain) => ({
  queryKey: ['host-lookup', wanted],
  // Not aborted by the query's signal: the lookup of a submitted host goes on when the person types the next one.
  queryFn: () => call(lookUpHost, { query: wanted }),
  staleTime: 10_000,
  retry: false,
  // With the default, an offline page would wait for the lookup instead of saying that it is offline.
  networkMode: 'always' as const,
});

/**
 * Looks a domain up when the person stops typing. `found` is null until the answer and if the lookup failed. `look` looks up
 * any domain at once, or returns the known answer; it throws if the lookup failed.
 */
export function useHostLookup(typed: NewDomain) {
  const client = useQueryClient();
  const text = JSON.stringify(typed);
  // A name without a dot is not complete yet.
  const isWanted = useDebounced(text) === text && typed.host.includes('.');
  const { data } = useQuery({ ...lookupOf(typed), enabled: isWanted });
  const look = (wanted: NewDomain): Promise<HostLookup> => client.fetchQuery(lookupOf(wanted));
  return { found: isWanted ? (data ?? null) : null, look };
}

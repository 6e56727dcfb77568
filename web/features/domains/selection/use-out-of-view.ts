import { useQuery } from '@tanstack/react-query';
import { isUnfiltered } from '../domain-filter.ts';
import { fetchDomainIds } from './selection-calls.ts';
import { useSelection } from './selection-context.ts';

/** How many of the selected domains the present filter hides; 0 until that is known. */
export function useOutOfView(): number {
  const { selected, loaded, filter } = useSelection();
  const known = new Set(loaded.map(({ id }) => id));
  const unknown = [...selected].filter((id) => !known.has(id));
  const isAsked = unknown.length > 0 && !isUnfiltered(filter);
  const { data } = useQuery({
    queryKey: ['domains', 'ids', filter],
    queryFn: ({ signal }) => fetchDomainIds(filter, signal),
    enabled: isAsked,
    retry: false,
  });
  if (!isAsked || !data) return 0;
  const matching = new Set(data.ids);
  return unknown.filter((id) => !matching.has(id)).length;
}

import { useQuery } from '@tanstack/react-query';
import { domainListSchema } from '../../../../contract/domain.ts';
import { api } from '../../../lib/api-client.ts';

interface NamedDomain {
  id: string;
  name: string;
}

async function searchDomains(typed: string, signal?: AbortSignal): Promise<NamedDomain[]> {
  const query = new URLSearchParams(typed === '' ? {} : { q: typed });
  const { data } = await api(`/domain/list?${query.toString()}`, { schema: domainListSchema, signal });
  return data.map(({ id, display_name: name }) => ({ id, name }));
}

/** Names of domains that fit what is typed, to choose from. */
export function useDomainNames(typed: string): string[] {
  const { data } = useQuery({
    queryKey: ['domain-names', typed.trim()],
    queryFn: ({ signal }) => searchDomains(typed.trim(), signal),
  });
  return data?.map(({ name }) => name) ?? [];
}

/** The id of the domain with that very name; null where the account has none. */
export async function domainNamed(name: string): Promise<string | null> {
  const found = await searchDomains(name);
  return found.find((domain) => domain.name === name.toLowerCase())?.id ?? null;
}

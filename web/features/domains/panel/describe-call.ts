import { z } from 'zod';
import { domainSchema } from '../../../../contract/domain.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { api } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { useDomainCache } from '../domain-cache.ts';

const answer = z.object({ data: domainSchema });

export interface Description {
  notes?: string;
  tags?: string[];
}

/** Writes to the domain; what is left out stays as it is. Everything that shows the domain follows the answer. */
export function useDescribeDomain(id: string) {
  const cache = useDomainCache();
  return useWrite({
    mutationFn: async (description: Description): Promise<DomainWire> => {
      const path = `/domain/${encodeURIComponent(id)}`;
      return (await api(path, { method: 'PATCH', body: description, schema: answer })).data;
    },
    onSuccess: (domain) => cache.put(domain),
  });
}

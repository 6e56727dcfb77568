import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import type { DomainWire } from '../../../../contract/domain.ts';
import { uptimeSchema } from '../../../../contract/uptime.ts';
import type { UptimeWire } from '../../../../contract/uptime.ts';
import { api } from '../../../lib/api-client.ts';

const answer = z.object({ data: uptimeSchema });

async function fetchUptime(id: string, signal: AbortSignal): Promise<UptimeWire> {
  const path = `/domain/${encodeURIComponent(id)}/uptime`;
  return (await api(path, { schema: answer, failureText: 'Failed to get me.', signal })).data;
}

/** What is known of the times at which a domain was up; read anew after each check, with the former in sight meanwhile. */
export function useUptime({ id, last_checked_at: checkedAt }: DomainWire) {
  return useQuery({
    queryKey: ['domains', 'uptime', id, checkedAt],
    queryFn: ({ signal }) => fetchUptime(id, signal),
    placeholderData: (former, query) => (query?.queryKey[2] === id ? former : undefined),
  });
}

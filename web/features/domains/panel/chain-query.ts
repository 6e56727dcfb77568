import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { chainCertificateSchema } from '../../../../contract/domain.ts';
import type { ChainCertificateWire } from '../../../../contract/domain.ts';
import { api } from '../../../lib/api-client.ts';

const answer = z.object({ data: z.array(chainCertificateSchema) });

async function fetchChain(id: string, signal: AbortSignal): Promise<ChainCertificateWire[]> {
  const path = `/domain/${encodeURIComponent(id)}/chain`;
  return (await api(path, { schema: answer, failureText: 'Failed to get me.', signal })).data;
}

/** What the endpoint sent with the certificate of that fingerprint, in the order sent; read anew with each certificate. */
export function useCertificateChain(id: string, fingerprint: string | null) {
  return useQuery({
    queryKey: ['domains', 'chain', id, fingerprint],
    queryFn: ({ signal }) => fetchChain(id, signal),
    enabled: fingerprint !== null,
  });
}

import { listDomains } from '../../../../contract/calls/domain.ts';
import { call } from '../../../lib/api-client.ts';

export interface NamedDomain {
  id: string;
  name: string;
  /** A-label or IP address, with the port. */
  endpoint: string;
}

/** Returns the endpoint of a typed name or URL, or null. */
export function endpointOf(typed: string): string | null {
  const address = `https://${typed.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`;
  if (!URL.canParse(address)) return null;
  const { hostname, port } = new URL(address);
  return `${hostname.replace(/^\[|\]$|\.$/g, '')}:${port || '443'}`;
}

/** Returns the first domains that match the typed text. */
export async function searchDomains(typed: string, signal?: AbortSignal): Promise<NamedDomain[]> {
  const query = { sort: 'name', q: typed === '' ? undefined : typed } as const;
  const { data } = await call(listDomains, { query, signal });
  return data.map(({ id, display_name: name, hostname, port }) => ({
    id,
    name,
    endpoint: `${hostname}:${port}`,
  }));
}

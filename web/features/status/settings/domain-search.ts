import { listDomains } from '../../../../contract/calls/domain.ts';
import { SEARCH_MAX_LENGTH } from '../../../../contract/words.ts';
import { call } from '../../../lib/api-client.ts';

export interface NamedDomain {
  id: string;
  name: string;
  /** A-label or IP address, with the port. */
  endpoint: string;
  /** The check has settings of its own, such as another address to connect to. */
  hasTarget: boolean;
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
  const query = { sort: 'name', q: typed.slice(0, SEARCH_MAX_LENGTH) || undefined } as const;
  const { data } = await call(listDomains, { query, signal });
  return data.map(({ id, display_name: name, hostname, port, target }) => ({
    id,
    name,
    endpoint: `${hostname}:${port}`,
    hasTarget: target !== null,
  }));
}

/** Returns the domain that was typed as a host, a URL or a whole name; `several` if it may be more than one. */
export async function findDomain(typed: string): Promise<NamedDomain | 'several' | undefined> {
  return pickDomain(typed, await searchDomains(endpointOf(typed) ?? typed.trim()));
}

/** Picks the domain that was typed from those that match the search. */
export function pickDomain(
  typed: string,
  found: readonly NamedDomain[],
): NamedDomain | 'several' | undefined {
  const endpoint = endpointOf(typed);
  // The name of a domain with a target has a blank in it, so it is no endpoint.
  if (endpoint === null) {
    const name = typed.trim().toLowerCase();
    return found.find((one) => one.name.toLowerCase() === name);
  }
  const ofHost = found.filter((one) => one.endpoint === endpoint);
  return ofHost.find((one) => !one.hasTarget) ?? (ofHost.length > 1 ? 'several' : ofHost[0]);
}

import { listDomains } from '../../../../contract/calls/domain.ts';
import { SEARCH_MAX_LENGTH } from '../../../../contract/words.ts';
import { call } from '../../../lib/api-client.ts';

export interface NamedDomain {
  id: string;
  name: string;
  /** Host (A-label or IP address) with the port. */
  endpoint: string;
  /** True if the domain has settings for how it is checked, such as another address to connect to. */
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

/** Returns the domain whose host, URL or whole name was typed; undefined if there is none, `several` if more than one fits. */
export async function findDomain(typed: string): Promise<NamedDomain | 'several' | undefined> {
  return pickDomain(typed, await searchDomains(endpointOf(typed) ?? typed.trim()));
}

/** Picks the domain that was typed from the domains that the search found. */
export function pickDomain(
  typed: string,
  found: readonly NamedDomain[],
): NamedDomain | 'several' | undefined {
  const endpoint = endpointOf(typed);
  // The name of a domain with a target contains a blank, so it is not an endpoint. Compare whole names.
  if (endpoint === null) {
    const name = typed.trim().toLowerCase();
    return found.find((one) => one.name.toLowerCase() === name);
  }
  const ofHost = found.filter((one) => one.endpoint === endpoint);
  return ofHost.find((one) => !one.hasTarget) ?? (ofHost.length > 1 ? 'several' : ofHost[0]);
}

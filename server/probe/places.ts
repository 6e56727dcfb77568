import type { FailedObservation, Resolution } from '../core/observation.ts';
import { isSensitive } from '../core/protocol.ts';
import { type DomainServer, endpointAt, srvServices } from '../core/srv.ts';
import { type CheckedEndpoint, effectiveTarget } from '../core/target.ts';
import type { Resolver, ServerLookup } from '../egress/resolver.ts';

/** An address to probe, and the endpoint whose port and protocol we use there. */
export interface Place {
  address: string;
  endpoint: CheckedEndpoint;
  /** The server that the address belongs to, if an SRV record named it. */
  server?: DomainServer;
}

/** `unresolved`: servers that SRV records name but that have no permitted address. */
export interface Places {
  resolution: Resolution;
  places: Place[];
  unresolved: FailedObservation[];
}

export type PlaceResolver = Resolver & Partial<ServerLookup>;

const MAX_PLACES = 20;

/**
 * Finds the addresses to probe: those of the endpoint's host, or of all servers of its domain if SRV records name some (RFC 6120
 * §3.2.1, XEP-0368). Never rejects for network failures.
 */
export async function findPlaces(
  endpoint: CheckedEndpoint,
  { resolver, signal }: { resolver: PlaceResolver; signal: AbortSignal },
): Promise<Places> {
  const { connectTo, family } = effectiveTarget(endpoint);
  const found = await findServers(endpoint, { resolver, signal });
  let { failure } = found;
  if (found.servers.length > 0) {
    const ofServers = await placesOfServers(endpoint, found.servers, { resolver, signal, family });
    if (ofServers.resolution.ok) return ofServers;
    failure = ofServers.resolution;
  }
  const resolution = await resolver.resolve(connectTo.host, { signal, family });
  // Clients fall back to the host only if there are no records.
  if (failure !== null && (resolution.ok || !hostFailureCounts(failure, resolution)))
    return { resolution: failure, places: [], unresolved: [] };
  const addresses = resolution.ok ? resolution.addresses : [];
  return { resolution, places: addresses.map((address) => ({ address, endpoint })), unresolved: [] };
}

/**
 * Returns whether to report the failed lookup of the host instead of that of the SRV records: if our name servers are silent, which is not the
 * domain's fault, or if the SRV report would reveal that our name servers know a host without a permitted address.
 */
function hostFailureCounts(ofServers: FailedResolution, ofHost: FailedResolution): boolean {
  return (
    ofHost.reason === 'resolver_silent' || ['service_declined', 'address_refused'].includes(ofServers.reason)
  );
}

type FailedResolution = Extract<Resolution, { ok: false }>;

/**
 * Returns whether DNS has an address at which an endpoint can be checked; null if no answer comes in time. Never rejects for network
 * failures.
 */
export async function hasPlaces(
  endpoint: CheckedEndpoint,
  options: { resolver: PlaceResolver; signal: AbortSignal },
): Promise<boolean | null> {
  const { resolution } = await findPlaces(endpoint, options);
  return resolution.ok || (resolution.reason === 'name_not_found' ? false : null);
}

/** `failure`: why there are no servers, if the lookup failed or the domain declines the service; null if clients use the host. */
interface FoundServers {
  servers: DomainServer[];
  failure: FailedResolution | null;
}

/** Looks up the SRV records for STARTTLS and for direct TLS. Returns the servers in the order in which clients try them. */
async function findServers(
  endpoint: CheckedEndpoint,
  { resolver, signal }: { resolver: PlaceResolver; signal: AbortSignal },
): Promise<FoundServers> {
  const services = resolver.servers === undefined ? [] : srvServices(endpoint);
  const answers = await Promise.all(
    services.map(async ({ name, isDirect }) => ({
      isDirect,
      answer: await resolver.servers?.(name, { signal }),
    })),
  );
  const records = answers.flatMap(({ isDirect, answer }) =>
    answer?.ok === true ? answer.records.map((record) => ({ ...record, isDirect })) : [],
  );
  const servers = records
    .toSorted((left, right) => left.priority - right.priority || right.weight - left.weight)
    .map(({ name, port, isDirect }) => ({ name, port, isDirect }));
  // Clients that do not support direct TLS use STARTTLS, so only the records for STARTTLS decide whether the service exists.
  const [usual] = answers;
  if (servers.length > 0 || usual?.answer === undefined) return { servers, failure: null };
  const { answer } = usual;
  if (!answer.ok) return { servers, failure: { ...answer, stage: 'dns' } };
  return { servers, failure: answer.isDeclined ? DECLINED : null };
}

const DECLINED = { ok: false, stage: 'dns', reason: 'service_declined', detail: null } as const;

async function placesOfServers(
  endpoint: CheckedEndpoint,
  servers: readonly DomainServer[],
  { resolver, signal, family }: { resolver: Resolver; signal: AbortSignal; family: 4 | 6 | null },
): Promise<Places> {
  const found = await Promise.all(
    servers.map(async (server) => ({
      server,
      resolution: await resolveServer(server, { resolver, signal, family }),
    })),
  );
  const places: Place[] = [];
  // Several records may lead to the same place. Connect to it only once.
  const known = new Set<string>();
  // Take the first address of each server before the second of any, so that the limit leaves no server out.
  for (let index = 0; index < MAX_PLACES; index++)
    for (const { server, resolution } of found) {
      const address = resolution.ok ? resolution.addresses[index] : undefined;
      const place = `${address} ${server.port} ${server.isDirect}`;
      if (address === undefined || places.length === MAX_PLACES || known.has(place)) continue;
      known.add(place);
      places.push({ address, endpoint: endpointAt(endpoint, server), server });
    }
  const unresolved = found.flatMap(({ server, resolution }): FailedObservation[] => {
    if (resolution.ok) return [];
    const { stage, reason, detail } = resolution;
    const failure = { stage, reason, detail, tlsAlert: null, durationMs: 0 };
    return [{ address: server.name, family: family ?? 4, server, outcome: 'failed', ...failure }];
  });
  const [first] = found;
  if (places.length === 0 && first !== undefined && !first.resolution.ok)
    return { resolution: first.resolution, places, unresolved: [] };
  const leftOut = found.reduce(
    (sum, { resolution }) => sum + (resolution.ok ? (resolution.leftOut ?? 0) : 0),
    0,
  );
  const addresses = [...new Set(places.map(({ address }) => address))];
  return { resolution: { ok: true, addresses, ...(leftOut > 0 && { leftOut }) }, places, unresolved };
}

/** Resolves a server's name. Refuses ports of databases and the like, because anybody can name any port in an SRV record. */
async function resolveServer(
  { name, port }: DomainServer,
  { resolver, ...options }: { resolver: Resolver; signal: AbortSignal; family: 4 | 6 | null },
): Promise<Awaited<ReturnType<Resolver['resolve']>>> {
  if (isSensitive({ port, protocol: 'tls' }))
    return { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
  return resolver.resolve(name, options);
}

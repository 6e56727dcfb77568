import type { TargetField } from '../../contract/check-words.ts';
import { normaliseEndpoint } from '../../server/core/endpoint.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import type { DnsServer } from '../kit/peers/dns-server.ts';
import { PATIENT } from '../kit/peers/loopback.ts';

const policy = createAddressPolicy(['127.0.0.0/8', '::1/128'], () => []);

/**
 * Probes an address in the form in which users type it. Resolves names at the name server `names`, and allows only loopback addresses. Rejects
 * with the message for the user if the product refuses the address.
 */
export async function observeTyped(
  names: DnsServer,
  address: string,
  typed: Partial<Record<TargetField, string>> = {},
): Promise<Observation> {
  const allowed = { permitsAddress: () => true, permitsLocalNames: true };
  const normalised = normaliseEndpoint(address, allowed, typed);
  if (!normalised.ok) throw new Error(normalised.message);
  const resolver = createResolver({ servers: [names.address], policy });
  const probe = createProbe({ resolver, policy, now: Date.now, sources: NO_SOURCES, timeouts: PATIENT });
  return probe.observe(normalised.endpoint, {
    signal: new AbortController().signal,
    trustStore: createTrustStore([]),
    withPosture: false,
  });
}

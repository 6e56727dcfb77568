import type { TargetField } from '../../contract/check-words.ts';
import { normaliseEndpoint, type Observation } from '../../server/core/index.ts';
import { createAddressPolicy, createResolver } from '../../server/egress/index.ts';
import { createTrustStore } from '../../server/pki/index.ts';
import { createProbe, NO_SOURCES } from '../../server/probe/index.ts';
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

import { certificateFacts } from '../../server/core/facts.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import type { MintedAuthority, MintedCertificate } from '../kit/certificates/mint.ts';
import type { TestApi } from './test-api.ts';
import { DAY, leaseOf, recordSample } from '../store/samples.ts';
import { HANDSHAKES_ONLY, MODERN_TLS } from '../kit/product/observation.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

/** Does the worker's part without a network: claims due monitors and records for each the observation that `look` returns. */
export async function finishChecks(
  { store, clock }: Pick<TestApi, 'store' | 'clock'>,
  authority: MintedAuthority,
  look: (monitor: Monitor) => Observation,
  /** True if the authority counts as a root of a public program. */
  { arePublic = false } = {},
): Promise<number> {
  const now = clock.now();
  const claimed = await claimDue(store, { now, limit: 100, leaseMs: 60_000, claimedBy: 'test' });
  for (const monitor of claimed) {
    const observation = look(monitor);
    const verdict = judge(observation, now, createTrustStore([authority.der], { arePublic }));
    const chain = observation.addresses.flatMap((seen) =>
      seen.outcome === 'handshake' ? seen.presentedChain : [],
    );
    await recordSample(store, {
      lease: leaseOf(monitor),
      nextCheckAt: now + DAY,
      now,
      observation,
      verdict,
      certificates: chain.map((der) => ({ der, facts: certificateFacts(parseCertificate(der)) })),
      jitter: 0,
    });
  }
  return claimed.length;
}

/** Returns an observation of a host that answered with this certificate. */
export const answeredWith =
  (certificate: MintedCertificate) =>
  ({ host, port, protocol }: Monitor): Observation => ({
    ...HANDSHAKES_ONLY,
    endpoint: { host, port, protocol },
    observedAt: Date.now(),
    durationMs: 5,
    resolution: { ok: true, addresses: ['192.0.2.10'] },
    addresses: [
      {
        address: '192.0.2.10',
        family: 4,
        ...MODERN_TLS,
        presentedChain: [certificate.der],
        durationMs: 5,
      },
    ],
  });

/** Returns an observation of an address that the policy of the worker refuses. */
export const refusedByPolicy = ({ host, port, protocol }: Monitor): Observation => ({
  ...HANDSHAKES_ONLY,
  endpoint: { host, port, protocol },
  observedAt: Date.now(),
  durationMs: 5,
  resolution: { ok: false, stage: 'policy', reason: 'address_refused', detail: null },
  addresses: [],
});

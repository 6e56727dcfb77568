import type { AddressObservation, FetchedAuthority, Observation } from '../core/index.ts';
import { parseReadable } from '../pki/index.ts';
import type { Certificate, TrustStore } from '../pki/index.ts';
import { heldPath, sentChains } from './held-paths.ts';
import type { SentChain } from './held-paths.ts';
import type { Sources } from './sources/sources.ts';
import { waited } from './waited.ts';

export interface AskOptions {
  addresses: readonly AddressObservation[];
  sources: Sources;
  trustStore: TrustStore;
  now: number;
  signal: AbortSignal;
  /** What is not there by then is for the next check. */
  waits: { authoritiesMs: number; statusMs: number };
  onFault: (error: unknown) => void;
}

/** What the CAs of the chains that were sent have to say. Never rejects, and waits no longer than it may. */
export async function askSources(
  options: AskOptions,
): Promise<Pick<Observation, 'authorities' | 'revocation' | 'renewal'>> {
  const { addresses, sources, trustStore, now, signal, waits, onFault } = options;
  const wait = { signal, onFault };

  const ways = await Promise.all(
    sentChains(addresses).map(async (sent) => {
      const { certificates } = sent;
      const path = heldPath(certificates, trustStore, now);
      if (path !== null) return { sent, path, authorities: [] };
      const authorities = await waited<FetchedAuthority[]>(
        (until) => sources.authorities.complete({ chain: certificates, trustStore, now, signal: until }),
        { ...wait, ms: waits.authoritiesMs, late: [] },
      );
      return { sent, path: completedPath(sent, authorities, trustStore, now), authorities };
    }),
  );

  const held = new Map(
    ways.flatMap(({ sent, path }) =>
      path === null ? [] : [[sent.certificates[0].fingerprint, { sent, path }] as const],
    ),
  );
  const answers = await Promise.all(
    [...held.values()].map(async ({ sent: { certificates, staple }, path }) => {
      const [leaf] = certificates;
      const limit = { ...wait, ms: waits.statusMs };
      const [revocation, renewal] = await Promise.all([
        waited((until) => sources.revocation.evidence({ path, staple, now, signal: until }), {
          ...limit,
          late: [],
        }),
        waited((until) => sources.renewal.renewal({ leaf, now, signal: until }), { ...limit, late: null }),
      ]);
      return { revocation, renewal };
    }),
  );
  return {
    authorities: distinct(ways.flatMap(({ authorities }) => authorities)),
    revocation: answers.flatMap(({ revocation }) => revocation),
    renewal: answers.flatMap(({ renewal }) => renewal ?? []),
  };
}

function completedPath(
  { certificates }: SentChain,
  authorities: readonly FetchedAuthority[],
  trustStore: TrustStore,
  now: number,
): Certificate[] | null {
  if (authorities.length === 0) return null;
  const more = authorities.flatMap(({ der }) => parseReadable(der) ?? []);
  return heldPath([...certificates, ...more], trustStore, now);
}

function distinct(authorities: readonly FetchedAuthority[]): FetchedAuthority[] {
  const byBytes = new Map(authorities.map((one) => [Buffer.from(one.der).toString('base64'), one]));
  return [...byBytes.values()];
}

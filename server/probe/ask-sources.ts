import type { AddressObservation, FetchedAuthority, Observation } from '../core/index.ts';
import { parseReadable } from '../pki/index.ts';
import type { Certificate, TrustStore } from '../pki/index.ts';
import { heldPath, isPublicPath, sentChains } from './held-paths.ts';
import type { SentChain } from './held-paths.ts';
import { Asker } from './sources/asker.ts';
import type { FoundAuthorities, Sources } from './sources/sources.ts';
import { waited } from './waited.ts';

export interface AskOptions {
  /** Of the endpoint: what its certificates make us ask counts against it. */
  host: string;
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
): Promise<Pick<Observation, 'authorities' | 'authoritiesPending' | 'revocation' | 'renewal'>> {
  const { host, addresses, sources, trustStore, now, signal, waits, onFault } = options;
  const wait = { signal, onFault };
  const asker = new Asker(host);

  const ways = await Promise.all(
    sentChains(addresses).map(async (sent) => {
      const { certificates } = sent;
      const path = heldPath(certificates, trustStore, now);
      if (path !== null) return { sent, path, authorities: [], isPending: false };
      const { authorities, isPending } = await waited<FoundAuthorities>(
        (until) =>
          sources.authorities.complete({ chain: certificates, trustStore, asker, now, signal: until }),
        { ...wait, ms: waits.authoritiesMs, late: { authorities: [], isPending: true } },
      );
      return { sent, path: completedPath(sent, authorities, trustStore, now), authorities, isPending };
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
      const isPublic = isPublicPath(path, trustStore);
      const limit = { ...wait, ms: waits.statusMs };
      const [revocation, renewal] = await Promise.all([
        waited(
          (until) => sources.revocation.evidence({ path, isPublic, asker, staple, now, signal: until }),
          { ...limit, late: [] },
        ),
        // Whoever has an authority of his own writes any issuer's name into a certificate.
        isPublic
          ? waited((until) => sources.renewal.renewal({ leaf, now, signal: until }), { ...limit, late: null })
          : null,
      ]);
      return { revocation, renewal };
    }),
  );
  return {
    authorities: distinct(ways.flatMap(({ authorities }) => authorities)),
    ...(ways.some(({ isPending }) => isPending) && { authoritiesPending: true as const }),
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

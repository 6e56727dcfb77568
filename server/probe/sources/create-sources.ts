import type { AddressPolicy, CaaLookup, Resolver } from '../../egress/index.ts';
import { createAuthoritySource } from './authority-source.ts';
import { createDiskCache } from './disk-cache.ts';
import { createDomainSource } from './domain-source.ts';
import type { FetchWay } from './remembered-fetch.ts';
import { createRenewalSource } from './renewal-source.ts';
import { createRevocationSource } from './revocation-source.ts';
import type { Sources } from './sources.ts';

export interface SourcesOptions {
  resolver: Resolver & CaaLookup;
  policy: AddressPolicy;
  /** Where answers outlive the process; null for this process alone. */
  cacheFolder: string | null;
  /** Told when that folder cannot be read or written. */
  onTrouble?: (error: unknown) => void;
}

export interface OpenSources extends Sources {
  /** Ends what is still being fetched. */
  close(): void;
}

/** Every source over the guarded way out, with one memory. */
export function createSources({ resolver, policy, cacheFolder, onTrouble }: SourcesOptions): OpenSources {
  const stopping = new AbortController();
  const cache = createDiskCache(cacheFolder, onTrouble === undefined ? {} : { onTrouble });
  const way: FetchWay = { resolver, policy, cache, stop: stopping.signal };
  const authorities = createAuthoritySource(way);
  const revocation = createRevocationSource(way);
  return {
    authorities,
    revocation: {
      evidence(request) {
        // Only paths that hold come here: their authorities may complete the chains of others.
        authorities.learn(request.path);
        return revocation.evidence(request);
      },
    },
    renewal: createRenewalSource(way),
    domains: createDomainSource({ ...way, resolver }),
    close: () => stopping.abort(),
  };
}

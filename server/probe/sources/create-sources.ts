import { join } from 'node:path';

import type { AddressPolicy, CaaLookup, Resolver } from '../../egress/index.ts';
import { Allowances } from './allowances.ts';
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

const MAX_PRIVATE_BYTES = 64 * 1024 * 1024;

/** Every source over the guarded way out, with one memory. */
export function createSources({ resolver, policy, cacheFolder, onTrouble }: SourcesOptions): OpenSources {
  const stopping = new AbortController();
  const trouble = onTrouble === undefined ? {} : { onTrouble };
  const cache = createDiskCache(cacheFolder, trouble);
  const common = { resolver, policy, stop: stopping.signal, allowances: new Allowances() };
  const way: FetchWay = { ...common, cache };
  // Any account has authorities of its own and may sign lists of any size: they push out nothing but each other.
  const privateFolder = cacheFolder === null ? null : join(cacheFolder, 'private');
  const others: FetchWay = {
    ...common,
    cache: createDiskCache(privateFolder, { ...trouble, maxBytes: MAX_PRIVATE_BYTES }),
  };
  const authorities = createAuthoritySource(others);
  const revocation = createRevocationSource({ public: way, others });
  return {
    authorities,
    revocation: {
      evidence(request) {
        // The authorities of paths that everybody trusts may complete the chains of others.
        if (request.isPublic) authorities.learn(request.path);
        return revocation.evidence(request);
      },
    },
    renewal: createRenewalSource(way),
    domains: createDomainSource({ ...way, resolver }),
    close: () => stopping.abort(),
  };
}

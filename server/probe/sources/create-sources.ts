import { join } from 'node:path';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import type { DnsReader } from '../../egress/dns/dns-reader.ts';
import type { Resolver } from '../../egress/resolver.ts';
import { RequestQuotas } from './request-quotas.ts';
import { createIntermediateSource } from './intermediate-source.ts';
import { createDiskCache } from './disk-cache.ts';
import { createDomainSource } from './domain-source.ts';
import type { FetchContext } from './cached-fetch.ts';
import { createRenewalSource } from './renewal-source.ts';
import { createRevocationSource } from './revocation-source.ts';
import type { Sources } from './sources.ts';

export interface SourcesOptions {
  resolver: Resolver;
  /** Asks for CAA records. */
  reader: Pick<DnsReader, 'query'>;
  policy: AddressPolicy;
  /** Folder for answers that outlive the process; null keeps them in memory. */
  cacheFolder: string | null;
  /** Called if the cache folder cannot be read or written. */
  onTrouble?: (error: unknown) => void;
}

export interface ClosableSources extends Sources {
  /** Aborts all running requests. */
  close(): void;
}

const MAX_PRIVATE_BYTES = 64 * 1024 * 1024;

/** Creates all sources, with their caches and request quotas. All connections pass the egress address policy. */
export function createSources(options: SourcesOptions): ClosableSources {
  const { resolver, reader, policy, cacheFolder, onTrouble } = options;
  const stopping = new AbortController();
  const troubleOption = onTrouble === undefined ? {} : { onTrouble };
  const cache = createDiskCache(cacheFolder, troubleOption);
  const common = { resolver, policy, stop: stopping.signal, quotas: new RequestQuotas() };
  const publicContext: FetchContext = { ...common, cache };
  // Any account can add its own CA and sign CRLs of any size. In a separate cache these can evict only each other.
  const privateFolder = cacheFolder === null ? null : join(cacheFolder, 'private');
  const others: FetchContext = {
    ...common,
    cache: createDiskCache(privateFolder, { ...troubleOption, maxBytes: MAX_PRIVATE_BYTES }),
  };
  const intermediates = createIntermediateSource(others);
  const revocation = createRevocationSource({ public: publicContext, others });
  return {
    intermediates,
    revocation: {
      evidence(request) {
        // The intermediates of public paths may complete other chains.
        if (request.isPublic) intermediates.learn(request.path);
        return revocation.evidence(request);
      },
    },
    renewal: createRenewalSource(publicContext),
    domains: createDomainSource({ ...publicContext, reader }),
    close: () => stopping.abort(),
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createAddressPolicy } from '../../../server/egress/address-policy.ts';
import { createDnsReader, type DnsReader } from '../../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../../server/egress/resolver.ts';
import { type ClosableSources, createSources } from '../../../server/probe/sources/create-sources.ts';

/** A reader of DNS that finds no records. */
export const EMPTY_DNS: Pick<DnsReader, 'query'> = {
  query: () => Promise.resolve({ outcome: 'no_data', aliases: [], security: 'not_known' }),
};

/** Creates a folder that is removed after the test. */
export function cacheFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates CA sources that may connect to loopback. `dns`: name servers that resolve names; without any, no name resolves. */
export function createLoopbackSources({
  folder = null,
  dns = [],
  allow = ['127.0.0.0/8', '::1/128'],
}: { folder?: string | null; dns?: readonly string[]; allow?: readonly string[] } = {}): ClosableSources {
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: dns, policy });
  const reader = createDnsReader({ servers: dns, now: Date.now });
  const sources = createSources({ resolver, reader, policy, cacheFolder: folder });
  onTestFinished(() => sources.close());
  return sources;
}

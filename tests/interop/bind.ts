import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { freeDnsPort } from '../kit/peers/dns-server.ts';
import type { Outcome } from './check-server.ts';
import { prepareFiles, startDaemon } from '../kit/machine/daemon.ts';

export const BIND = { name: 'bind', packages: ['bind9'] };

const ADDRESS = '127.0.0.1';
/** NAT64 prefixes of each length, with the address that stands for 8.8.8.8 in each. */
const PREFIXES = [
  ['64:ff9b::/96', '64:ff9b::808:808'],
  ['64:ff9b:1::/48', '64:ff9b:1:808:8:800::'],
  ['fd32:64::/32', 'fd32:64:808:808::'],
  ['fd40:64::/40', 'fd40:64:8:808:8::'],
  ['fd48:64::/48', 'fd48:64:0:808:8:800::'],
  ['fd56:64::/56', 'fd56:64:0:8:8:808::'],
  ['fd64:64::/64', 'fd64:64::8:808:800:0'],
  ['fd96:64::/96', 'fd96:64::808:808'],
] as const;
const PUBLIC_ZONE = `$TTL 60
@ SOA ns.site.test. root.site.test. 1 60 60 60 60
@ NS ns.site.test.
ns A ${ADDRESS}
public A 8.8.8.8
private A 10.0.0.1
linklocal A 169.254.1.1
metadata A 169.254.169.254
both A 8.8.8.8
both AAAA fd00::1
`;

/**
 * Starts BIND with DNS64 and resolves names as checks do. BIND's own answer for ipv4only.arpa (RFC 8880) shows the prefixes.
 * The outcome's fault is the first wrong result.
 */
export async function checkBind(parent: string): Promise<Outcome> {
  const outcome = { server: BIND.name, endpoint: null };
  try {
    const port = await freeDnsPort();
    const root = mintAuthority();
    const files = prepareFiles(join(parent, BIND.name), root.issue(), root.certificatePem);
    const zone = files.write('site.test.zone', PUBLIC_ZONE);
    // Without a root zone of its own, the server would ask the internet.
    const rootZone = files.write('root.zone', '$TTL 60\n@ SOA . . 1 60 60 60 60\n@ NS localhost.\n');
    const config = files.write(
      'named.conf',
      `options { directory "${files.folder}"; pid-file none; session-keyfile none; listen-on port ${port} { ${ADDRESS}; };
listen-on-v6 { none; }; recursion yes; dnssec-validation no; notify no;
${PREFIXES.map(([prefix]) => `dns64 ${prefix} { clients { any; }; };`).join('\n')} };
controls { };
zone "." { type primary; file "${rootZone}"; };
zone "site.test" { type primary; file "${zone}"; };
`,
    );
    const daemon = await startDaemon(['named', '-g', '-c', config], {
      cwd: files.folder,
      listensOn: [{ address: ADDRESS, port }],
    });
    try {
      return { ...outcome, ...(await resolveAll(`${ADDRESS}:${port}`)) };
    } finally {
      await daemon.stop();
    }
  } catch (error) {
    return { ...outcome, seen: '', fault: error instanceof Error ? error.message : String(error) };
  }
}

async function resolveAll(server: string): Promise<Pick<Outcome, 'seen' | 'fault'>> {
  const resolver = createResolver({ servers: [server], policy: createAddressPolicy([], () => []) });
  const resolve = (host: string) => resolver.resolve(host, { signal: AbortSignal.timeout(20_000) });
  const translated = PREFIXES.map(([, address]) => address);
  const notFound = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null };
  const expected: Record<string, object> = {
    'public.site.test': { ok: true, addresses: ['8.8.8.8', ...translated].toSorted() },
    'private.site.test': notFound,
    'linklocal.site.test': notFound,
    'metadata.site.test': notFound,
    'both.site.test': { ok: true, addresses: ['8.8.8.8'], leftOut: 1 },
    'fd48:64:0:808:8:800::': { ok: true, addresses: ['fd48:64:0:808:8:800::'] },
    'fd48:64:0:a00:0:100::': { ok: false, stage: 'policy', reason: 'address_refused', detail: null },
  };
  for (const [host, wanted] of Object.entries(expected)) {
    const resolution = await resolve(host);
    const found = resolution.ok ? { ...resolution, addresses: resolution.addresses.toSorted() } : resolution;
    if (!isDeepStrictEqual(found, wanted))
      return { seen: '', fault: `${host} resolved to ${JSON.stringify(found)}` };
  }
  return { seen: `${PREFIXES.length} NAT64 prefixes`, fault: null };
}

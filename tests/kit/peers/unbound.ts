import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, startDaemon } from '../machine/daemon.ts';
import type { Bind } from './bind.ts';
import { freeDnsPort } from './dns-server.ts';

/** Debian's packages with the programs that `startUnbound` runs. */
export const UNBOUND_PACKAGES = ['unbound'];

export interface Unbound extends Daemon {
  /** `address:port`, the format of the resolver and of DNS_SERVERS. */
  address: string;
}

const ADDRESS = '127.0.0.1';

/**
 * Starts unbound as a validating resolver that knows only the zones of `bind`, and caches answers for at most `cacheSeconds`. `folder`: an existing
 * folder for its files.
 */
export async function startUnbound(
  folder: string,
  bind: Bind,
  { cacheSeconds = 1 }: { cacheSeconds?: number } = {},
): Promise<Unbound> {
  const port = await freeDnsPort();
  const authority = bind.address.replace(':', '@');
  // The zones have one server, so a referral would lead to port 53.
  const stubs = ['.', ...bind.zones].map(
    (name) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${authority}\n`,
  );
  const config = join(folder, 'unbound.conf');
  writeFileSync(
    config,
    `server:
  interface: ${ADDRESS}
  port: ${port}
  access-control: 127.0.0.0/8 allow
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  do-ip6: no
  do-not-query-localhost: no
  num-threads: 1
  module-config: "validator iterator"
  trust-anchor: "${bind.trustAnchor}"
  trust-anchor-signaling: no
  cache-max-ttl: ${cacheSeconds}
  cache-max-negative-ttl: ${cacheSeconds}
  ede: yes
remote-control:
  control-enable: no
${stubs.join('')}`,
  );
  const daemon = await startDaemon(['unbound', '-d', '-p', '-c', config], {
    cwd: folder,
    listensOn: [{ address: ADDRESS, port }],
  });
  return { address: `${ADDRESS}:${port}`, stop: () => daemon.stop() };
}

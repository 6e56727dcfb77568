import { join } from 'node:path';
import type { Protocol } from '../../contract/protocols.ts';
import { NO_LOG_LISTS } from '../../server/core/judge/transparency.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createThreadedExaminer } from '../../server/probe/threaded-examiner.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { openStore, type Store } from '../../server/store/db/open-store.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { type DnsEntry, startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { temporaryFolder } from '../../tests/kit/product/app.ts';

/** Addresses that the examiner may connect to. */
export const OPEN = ['127.0.0.0/8'];

/** Starts an examiner with the product's limits, which resolves names at the given name server. */
export const startExaminer = (
  dnsServer: string,
  cacheFolder: string,
  onTrouble: (error: Error) => void,
): ReturnType<typeof createThreadedExaminer> =>
  createThreadedExaminer({
    dnsServers: [dnsServer],
    egressAllowCidrs: OPEN,
    hostsFile: null,
    ownNames: { ehloName: null, publicHost: 'localhost' },
    extraCaPem: null,
    logLists: NO_LOG_LISTS,
    cacheFolder,
    checkWork: STANDARD_LIMITS.workPerCheck,
    onTrouble,
  });

/** Opens what a check needs: an embedded database in a temporary folder, a name server and an examiner. */
export async function openProduct(names: Readonly<Record<string, DnsEntry>> = {}) {
  const folder = temporaryFolder();
  const store = await openStore({ databaseUrl: null, dataDir: folder.path });
  const dns = await startDnsServer(names);
  const examiner = startExaminer(dns.address, join(folder.path, 'cache'), (error) =>
    process.stderr.write(`${error.message}\n`),
  );
  return {
    store,
    dns,
    examiner,
    folder: folder.path,
    async close() {
      await examiner.close();
      await dns.stop();
      await store.close();
      folder.remove();
    },
  };
}

/** Opens an account and returns its id. */
export async function addAccount(store: Store, name: string): Promise<string> {
  const opened = await openAccount(store, {
    issuer: 'https://certs.test',
    subject: name,
    email: `${name}@certs.test`,
    emailVerified: true,
    name,
    company: null,
    now: Date.now(),
  });
  if (!opened.ok) throw new Error(opened.code);
  return opened.account.id;
}

/** Adds a monitor that is checked once a day, and returns its id. */
export async function addDomain(
  store: Store,
  domain: { host: string; accountId: string; port: number; protocol: Protocol },
): Promise<string> {
  const added = await addMonitor(store, {
    ...domain,
    checkEveryMinutes: 1440,
    now: Date.now(),
    mayAdd: () => true,
  });
  if (!added.ok) throw new Error(added.code);
  return added.monitor.id;
}

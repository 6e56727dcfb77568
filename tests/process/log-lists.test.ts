import { appendFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { claimLogList, storeLogList } from '../../server/store/operations/log-lists.ts';
import { createWorld } from '../faults/world.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { issueLogged, logListJson, mintLog } from '../kit/certificates/mint-log.ts';
import { freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { startLogListServer } from '../kit/peers/log-list-server.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';

/** Processes start slowly on a busy machine, so polls may take long. */
const PATIENCE = { timeout: 100_000, interval: 100 };
const TIMEOUT_MS = 300_000;
const DOMAIN = 'logged.example';

describe.skipIf(!hasDatabase('postgres'))('The workers of a deployment', () => {
  it(
    'use a kept list of logs without a restart and after one, and request none for private authorities',
    async () => {
      const database = await freshDatabase('postgres');
      const world = await createWorld(database);
      const lists = await startLogListServer();
      const root = mintAuthority();
      appendFileSync(world.environment['EXTRA_CA_FILE'] ?? '', root.certificatePem);
      const log = mintLog('Fjord');
      const leaf = issueLogged(root, { dnsNames: [`*.${DOMAIN}`] }, [{ log, at: Date.now() - 1_000 }]);
      const peer = await startTlsServer({ '*': leaf });
      onTestFinished(async () => {
        await world.end();
        await Promise.all([database.remove(), lists.stop(), peer.stop()]);
      });
      const address = lists.url('/apple.json');
      world.dns.entries.set(address.hostname, { addresses: ['127.0.0.1'] });
      const settings = { CT_LOG_LIST: 'off', APPLE_LOG_LIST: address.href };
      await world.start({ ROLE: 'api' });
      const workers = [world.startWorker(settings), world.startWorker(settings)];
      const alice = await world.addPerson({ path: null });
      let hosts = 0;
      /** Adds a domain, and returns the name of the log when a worker has checked it. */
      const logOfNewDomain = async (): Promise<string | null> => {
        const host = `host${++hosts}.${DOMAIN}`;
        world.dns.entries.set(host, { addresses: ['127.0.0.1'] });
        const added = (await alice.ask(CALLS.addDomain, { body: { host: `${host}:${peer.port}` } })).ok;
        const timestamps = async () => {
          const { data } = (await alice.ask(CALLS.domainReport, { params: { id: added.data.id } })).ok;
          return data.transparency?.timestamps;
        };
        await expect.poll(timestamps, PATIENCE).toHaveLength(1);
        return (await timestamps())?.[0]?.log ?? null;
      };
      expect(await logOfNewDomain()).toBeNull();

      const store = await world.store();
      const key = { list: 'apple', address: address.href, now: Date.now() } as const;
      await claimLogList(store, { ...key, before: null });
      const body = Buffer.from(logListJson([log], Date.now()));
      await storeLogList(store, { ...key, answer: { body, etag: null, lastModified: null } });
      await expect.poll(logOfNewDomain, PATIENCE).toBe('Fjord log');

      await Promise.all(workers.map((worker) => worker.kill()));
      world.startWorker(settings);
      expect(await logOfNewDomain()).toBe('Fjord log');
      expect(lists.requests).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

import { sql } from 'kysely';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { listening } from '../kit/peers/tls-server.ts';
import { startApi } from './test-api.ts';

describe.skipIf(!hasDatabase('postgres'))('While PostgreSQL cannot be reached', () => {
  it('every call answers 503, and 200 again once it is back', async () => {
    const database = await freshDatabase('postgres');
    onTestFinished(() => database.remove());
    const way = await breakableWay(database.databaseUrl ?? '');
    onTestFinished(() => way.stop());
    const log = { info() {}, warn() {}, error() {} };
    const api = await startApi(() => database.open({ databaseUrl: way.url }), { log });
    const { alice } = await api.cast();
    const list = async () => (await alice.send('/api/domain/list?page=1')).status;
    expect(await list()).toBe(200);

    way.cut();
    // At first the pool's connections break, then new connections fail. The answer is 503 in both cases.
    for (let call = 0; call < 3; call++) {
      const answer = await alice.send('/api/domain/list?page=1');
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'unavailable' });
    }
    const { email, password } = alice;
    const signIn = await alice.ask(CALLS.signIn, { body: { email, password } });
    expect(signIn.problem.code).toBe('unavailable');
    way.mend();
    await expect.poll(list).toBe(200);
  });
});

describe('While the disk is full (SQLite)', () => {
  it('writes answer 503 with the reason, and reads still work', async () => {
    const database = await freshDatabase('sqlite');
    onTestFinished(() => database.remove());
    const store = await database.open();
    const api = await startApi(async () => store, { log: { info() {}, warn() {}, error() {} } });
    const { bob } = await api.cast();
    const entries = Array.from({ length: 100 }, (_, index) => ({ host: `host${index}.fjord.example` }));
    // Limit the file to its present size, so that the next page does not fit.
    await sql`pragma max_page_count = 1`.execute(store.db);
    const refused = await bob.ask(CALLS.importDomains, { body: { entries } });
    expect(refused.status).toBe(503);
    expect(refused.problem).toMatchObject({ code: 'unavailable' });
    expect(refused.problem.detail).toContain('The disk of this server is full');
    expect((await bob.ask(CALLS.listDomains, { query: { page: '1' } })).ok.total).toBe(0);

    await sql`pragma max_page_count = 1000000`.execute(store.db);
    expect((await bob.ask(CALLS.importDomains, { body: { entries } })).ok.data).toHaveLength(100);
  });
});

/** Starts a TCP proxy to the database. While it is cut, it closes open connections and new ones. */
async function breakableWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => socket.destroy())
        .on('close', () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far).pipe(near);
  });
  const { port } = await listening(server);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const hangUp = () => open.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    cut() {
      isCut = true;
      hangUp();
    },
    mend() {
      isCut = false;
    },
    async stop() {
      hangUp();
      server.close();
      await once(server, 'close');
    },
  };
}

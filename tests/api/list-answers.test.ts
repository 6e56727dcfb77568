import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { domainListSchema } from '../../contract/domain.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Client } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const DECODERS = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Buffer) => bytes,
};

/** Serves the API on a real socket; `fetch` would decode the answers. */
async function serveApi(api: TestApi, { cookies }: Client) {
  const server = createAdaptorServer({ fetch: (request, env) => api.fetch(request, env) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cookie = [...cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return async (path: string, acceptEncoding?: string) => {
    const headers = { cookie, ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }) };
    const request = get({ port, host: '127.0.0.1', path, agent: false, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  };
}

const namesOf = async (client: Client, query: Record<string, string> = {}): Promise<string[]> =>
  (await client.ask(CALLS.listDomains, { query })).ok.data.map(({ hostname }) => hostname);

describeEachDatabase('The domain list', (open) => {
  it('is compressed with an encoding that the client accepts; answers with secrets are never compressed', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    for (const host of ['shop.example.com', 'mail.example.com'])
      await alice.ask(CALLS.addDomain, { body: { host } });
    const ask = await serveApi(api, alice);
    const plain = await ask('/api/domain/list');
    expect(plain.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(domainListSchema.parse(JSON.parse(plain.body.toString())).total).toBe(2);
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'zstd'],
      ['gzip, deflate, br', 'br'],
      ['gzip;q=0.5, br;q=0', 'gzip'],
      ['br;q=0, *', 'identity'],
    ] as const)
      for (const path of ['/api/domain/list', '/api/domain/summary']) {
        const { headers, body } = await ask(path, accepted);
        expect(headers['content-encoding'] ?? 'identity').toBe(coding);
        expect(headers.vary).toContain('Accept-Encoding');
        const whole = await ask(path);
        expect(JSON.parse(DECODERS[coding](body).toString())).toEqual(JSON.parse(whole.body.toString()));
      }
    const calendar = await alice.send('/api/alerts/calendar', {
      method: 'POST',
      headers: { 'accept-encoding': 'gzip', 'content-type': 'application/json' },
    });
    expect([calendar.status, calendar.headers.get('content-encoding')]).toEqual([200, null]);
    promise('compression');
  });

  it('shows every change at once, although its answers are cached', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const read = async () => {
      const answer = (await alice.ask(CALLS.listDomains)).ok;
      expect((await alice.ask(CALLS.listDomains)).ok).toEqual(answer);
      return answer.data;
    };
    expect(await read()).toEqual([]);
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data;
    expect(await read()).toMatchObject([{ id, state: 'pending' }]);
    expect((await alice.ask(CALLS.domainSummary)).ok.data.counts.pending).toBe(1);
    expect(await namesOf(charlie)).toEqual([]);

    const authority = mintAuthority();
    await finishChecks(api, authority, answeredWith(authority.issue({ dnsNames: ['shop.example.com'] })));
    expect(await read()).toMatchObject([{ id, state: 'ok' }]);
    expect((await alice.ask(CALLS.domainSummary)).ok.data.counts).toMatchObject({ pending: 0, ok: 1 });
    await alice.ask(CALLS.describeDomain, { params: { id }, body: { notes: 'Ours', tags: ['shop'] } });
    expect(await read()).toMatchObject([{ notes: 'Ours', tags: ['shop'] }]);
    expect(await namesOf(alice, { tag: 'shop' })).toEqual(['shop.example.com']);
    expect(await namesOf(alice, { tag: 'other' })).toEqual([]);
    await alice.ask(CALLS.pauseDomain, { params: { id } });
    expect(await read()).toMatchObject([{ state: 'paused' }]);
    await grantPremium(api.store, alice.id, { grant: { endsAt: null }, now: api.clock.now() });
    await alice.ask(CALLS.removeDomain, { params: { id } });
    expect(await read()).toEqual([]);
  });

  it('shows a change by another process at once on PostgreSQL, and within a second on SQLite', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data;
    const notes = async () => (await alice.ask(CALLS.listDomains)).ok.data.map((domain) => domain.notes);
    expect(await notes()).toEqual(['']);
    // No signal is sent, as if it was late or lost.
    await api.store.db.updateTable('monitors').set({ notes: 'Changed' }).where('id', '=', id).execute();
    if (api.store.dialect === 'sqlite') api.clock.advance(1_000);
    expect(await notes()).toEqual(['Changed']);
  });
});

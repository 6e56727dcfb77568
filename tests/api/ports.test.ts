import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { createClient, markVerified, type Person, signUp } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const add = (person: Person, host: string) => person.ask(CALLS.addDomain, { body: { host } });
const LIMIT_REACHED = /^The limit of 20 ports of one domain a day is reached\. Try again in \d+ hours\.$/;

/** Adds a domain and removes it at once, so that only the count of tried ports can lead to a refusal. */
async function tryPort(person: Person, host: string): Promise<string> {
  const answer = await add(person, host);
  if (answer.status !== 200) return answer.problem.code;
  await person.ask(CALLS.removeDomain, { params: { id: answer.ok.data.id } });
  return 'ok';
}

const inADay = async (api: TestApi) => {
  api.clock.advance(DAY_MS);
  const expiry = { access_expires_at: api.clock.now() + DAY_MS };
  await api.store.db.updateTable('sessions').set(expiry).execute();
};

const previewCheck = (api: TestApi, host: string, from = '198.51.100.7') =>
  createClient(api.sendFrom(from)).ask(CALLS.glance, { body: { host } });

describeEachDatabase('The ports of one host', (open) => {
  it('are limited to twenty a day per account; removing a domain does not reduce the count', async () => {
    const metrics = createMetrics();
    const api = await startApi(open, { telemetry: { metrics, tracer: null } });
    const { alice, bob } = await api.cast();
    for (let port = 8001; port <= 8020; port++)
      expect(await tryPort(alice, `shop.example.com:${port}`)).toBe('ok');
    const { problem } = await add(alice, 'shop.example.com:8021');
    expect(problem).toMatchObject({ status: 429, detail: expect.stringMatching(LIMIT_REACHED) });
    expect(await metrics.registry.metrics()).toContain(
      'certlantern_limit_reached_total{limit="LIMIT_PORTS_PER_HOST"} 1',
    );
    expect(await tryPort(alice, 'shop.example.com')).toBe('too_many_requests');
    // A port that was tried before may be tried again. A refused port does not count as tried, and stays refused.
    expect(await tryPort(alice, 'shop.example.com:8020')).toBe('ok');
    expect(await tryPort(alice, 'shop.example.com:8021')).toBe('too_many_requests');
    expect(await tryPort(alice, 'other.example:8021')).toBe('ok');
    expect(await tryPort(bob, 'shop.example.com:8021')).toBe('ok');
    await inADay(api);
    expect(await tryPort(alice, 'shop.example.com:8021')).toBe('ok');
    promise('port-scans');
  });

  it('are counted for all names of a registrable domain together', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    for (let port = 8001; port <= 8020; port++)
      expect(await tryPort(alice, `name-${port}.wildcard.example:${port}`)).toBe('ok');
    expect(await tryPort(alice, 'another.wildcard.example:8021')).toBe('too_many_requests');
    expect(await tryPort(alice, 'another.wildcard.example:8020')).toBe('ok');
    promise('port-scans');
  });

  it('are counted for each line of an import', async () => {
    const metrics = createMetrics();
    const api = await startApi(open, { telemetry: { metrics, tracer: null } });
    const { bob } = await api.cast();
    const entries = Array.from({ length: 25 }, (_, index) => ({ host: `shop.example.com:${8001 + index}` }));
    const { data } = (await bob.ask(CALLS.importDomains, { body: { entries } })).ok;
    expect(data.map(({ problem }) => problem)).toEqual([
      ...Array<null>(20).fill(null),
      ...Array<string>(5).fill('too_many_requests'),
    ]);
    expect(data.at(-1)?.message).toMatch(LIMIT_REACHED);
    expect(await metrics.registry.metrics()).toContain('{limit="LIMIT_PORTS_PER_HOST"} 1');
  });

  it('are counted together with the ports of channels that are added, changed or tested, or that get a message again', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const config = (port: number) => ({
      kind: 'webhook' as const,
      url: `http://hooks.shop.example.com:${port}/`,
    });
    const importPorts = (from: number, length: number) =>
      bob.ask(CALLS.importDomains, {
        body: {
          entries: Array.from({ length }, (_, index) => ({ host: `shop.example.com:${from + index}` })),
        },
      });
    const addChannel = (port: number) => bob.ask(CALLS.addChannel, { body: { config: config(port) } });
    const tooMany = { status: 429, detail: expect.stringMatching(LIMIT_REACHED) };
    await importPorts(8001, 18);
    const { key } = (await addChannel(9001)).ok.data.channel;
    await addChannel(9002);
    expect((await addChannel(9003)).problem).toMatchObject(tooMany);
    expect(await tryPort(bob, 'shop.example.com:9003')).toBe('too_many_requests');
    const change = (port: number) =>
      bob.ask(CALLS.changeChannel, { params: { key }, body: { config: config(port) } });
    expect((await change(9003)).problem).toMatchObject(tooMany);
    expect((await change(8001)).status).toBe(200);
    const { id } = (await bob.ask(CALLS.testChannel, { params: { key } })).ok.data;

    await inADay(api);
    await importPorts(8101, 20);
    expect((await bob.ask(CALLS.testChannel, { params: { key } })).problem).toMatchObject(tooMany);
    expect((await bob.ask(CALLS.replayDelivery, { params: { id } })).problem).toMatchObject(tooMany);
    expect((await bob.ask(CALLS.testChannel, { params: { key: OWN_MAIL } })).status).toBe(200);
    promise('port-scans');
  });

  it('cannot exceed the limit of twenty with concurrent requests', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => add(bob, `shop.example.com:${8001 + index}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  });

  it('ports for databases, caches and administration need a verified address', async () => {
    const api = await startApi(open);
    const { send } = api;
    const nora = await signUp(send, { name: 'Nora' });
    for (const host of ['db.example.com:5432', 'postgres://db.example.com:7777', 'db.example.com:22']) {
      const { problem } = await add(nora, host);
      expect([problem.code, problem.detail], host).toEqual([
        'email_not_verified',
        'Confirm your address to track ports of databases, caches and administration.',
      ]);
    }
    expect((await add(nora, 'smtp://mail.example.com')).status).toBe(200);
    await markVerified(api.store, nora.id);
    expect((await add(nora, 'postgres://db.example.com')).status).toBe(200);
    promise('port-scans');
  });

  it.each(['invite', 'closed'] as const)('are not limited if sign-up is %s', async (signups) => {
    const api = await startApi(open);
    const nora = await signUp(api.send, { name: 'Nora' });
    const closed = await startApi(async () => api.store, { config: { signups } });
    const there = { ...nora, ...createClient(closed.send, nora.cookies) };
    expect(await tryPort(there, 'db.example.com:5432')).toBe('ok');
    for (let port = 8001; port <= 8025; port++)
      expect(await tryPort(there, `shop.example.com:${port}`)).toBe('ok');
  });
});

describeEachDatabase('A preview check', (open) => {
  it('refuses ports of databases, caches and administration', async () => {
    const api = await startApi(open);
    for (const host of ['db.example.com:6379', 'mysql://db.example.com:4000', 'db.example.com:3389']) {
      const { problem } = await previewCheck(api, host);
      expect([problem.code, problem.detail], host).toEqual([
        'host_refused',
        'Checking ports of databases, caches and administration requires an account.',
      ]);
    }
    expect((await previewCheck(api, 'shop.example.com:8443')).problem.code).toBe('unavailable');
  });

  it('is limited to twenty ports of one domain a day per network, even with concurrent requests', async () => {
    const api = await startApi(open);
    const from = '203.0.113.9';
    const twice = async (port: number) =>
      (await Promise.all([1, 2].map(() => previewCheck(api, `shop.example.com:${port}`, from)))).map(
        ({ problem }) => problem.code,
      );
    for (let port = 9101; port <= 9120; port++) {
      expect(await twice(port)).toEqual(['unavailable', 'unavailable']);
      if (port % 5 === 0) api.clock.advance(60_000);
    }
    expect(await twice(9121)).toEqual(['too_many_requests', 'too_many_requests']);
    expect((await previewCheck(api, 'shop.example.com:9122', from)).problem.detail).toMatch(LIMIT_REACHED);
    expect((await previewCheck(api, 'shop.example.com:9101', from)).problem.code).toBe('unavailable');
    expect((await previewCheck(api, 'shop.example.com:9121', '192.0.2.77')).problem.code).toBe('unavailable');
  });
});

import { expect, it } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Input, markVerified, type Person, signUp } from '../kit/product/people.ts';
import { INPUTS } from './access-inputs.ts';
import { createWorld, nobodysThings } from './access-world.ts';
import { startApi, type TestApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { addMonitors } from '../../server/store/monitors/monitor-adding.ts';
import { promise } from '../security/promise.ts';

const add = (person: Person, host: string) => person.ask(CALLS.addDomain, { body: { host } });

/** Signs up a Premium account with an unverified address. */
async function newcomer({ send, store }: TestApi): Promise<Person> {
  const person = await signUp(send, { name: 'Nora' });
  await grantPremium(store, person.id, { grant: { endsAt: null }, now: Date.now() });
  return person;
}

async function addTen(person: Person): Promise<void> {
  for (let index = 0; index < 10; index++)
    expect((await add(person, `host-${index}.example.com`)).status).toBe(200);
}

/** The calls that answer email_not_verified to an unverified account with Premium and ten domains. */
const NEEDS_PROOF: (keyof typeof CALLS)[] = [
  'addChannel',
  'addDomain',
  'billing',
  'importDomains',
  'saveStatusPage',
  'testChannel',
];
/** Calls that need a verified address for some requests only; the tests below show which. */
const SOMETIMES: (keyof typeof CALLS)[] = [
  'acknowledgeIncident',
  'changeChannel',
  'checkDomain',
  'replayDelivery',
  'resumeDomain',
  'snoozeIncident',
];

describeAnyDatabase('An account without a confirmed address', (open) => {
  it('can add ten domains, and more once its address is verified', async () => {
    const metrics = createMetrics();
    const api = await startApi(open, { telemetry: { metrics, tracer: null } });
    const nora = await newcomer(api);
    await addTen(nora);
    const refused = (await add(nora, 'eleventh.example.com')).problem;
    expect(refused).toMatchObject({
      status: 403,
      code: 'email_not_verified',
      title: 'Confirm your email address first',
    });
    expect(refused.detail).toBe(
      'The limit of 10 domains without a confirmed address is reached. Confirm your address to add more.',
    );
    expect(await metrics.registry.metrics()).toContain(
      'certlantern_limit_reached_total{limit="LIMIT_DOMAINS_BEFORE_PROOF"} 1',
    );
    // Removing a domain makes room for a new one.
    const [newest] = (await nora.ask(CALLS.listDomains)).ok.data;
    await nora.ask(CALLS.removeDomain, { params: { id: newest?.id ?? '' } });
    expect((await add(nora, 'instead.example.com')).status).toBe(200);
    await markVerified(api.store, nora.id);
    expect((await add(nora, 'eleventh.example.com')).status).toBe(200);
  });

  it('cannot exceed ten domains with concurrent requests or a personal token', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const { secret } = (
      await nora.ask(CALLS.makeToken, {
        body: { name: 'CI', scopes: ['read', 'write'], expires_in_days: 90 },
      })
    ).ok.data;
    const program = createClient((path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${secret}`);
      return api.send(path, { ...init, headers });
    });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? nora : program).ask(CALLS.addDomain, { body: { host: `p-${index}.example.com` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(6);
    const entries = [{ host: 'one.example.com' }];
    const imported = await program.ask(CALLS.importDomains, { body: { entries } });
    expect(imported.problem.code).toBe('email_not_verified');
    expect((await nora.ask(CALLS.listDomains)).ok.total).toBe(10);
  });

  it('is refused exactly the calls that the contract documents as needing a verified address', async () => {
    const world = await createWorld(open, ['premium']);
    const { api } = world;
    const caller = world.caller('premium');
    const accountId = caller.person?.id ?? '';
    const names = Object.keys(CALLS) as (keyof typeof CALLS)[];
    const refused: string[] = [];
    for (const name of names) {
      const call: Call = CALLS[name];
      // An earlier call may have deleted the account or its sessions, so each call gets a new one.
      if (call.access !== 'session' || (call.method === 'get' && name !== 'billing')) continue;
      caller.leave();
      const client = await caller.arrive();
      await api.store.db
        .updateTable('accounts')
        .set({ email_verified: 0 })
        .where('id', '=', accountId)
        .execute();
      const endpoints = Array.from({ length: 6 }, (_, index) => ({
        host: `more-${index}.example.com`,
        port: 443,
        protocol: 'https' as const,
      }));
      await addMonitors(api.store, {
        accountId,
        endpoints,
        checkEveryMinutes: 1440,
        now: api.clock.now(),
        mayAdd: () => true,
      });
      if (name === 'deleteUser') continue;
      const input: Input = INPUTS[name]({ caller, things: caller.things ?? nobodysThings() });
      const answer = await client.ask(call, input);
      if (answer.status !== 403) continue;
      expect(call.problems, `${name} documents it`).toContain(answer.problem.code);
      if (answer.problem.code === 'email_not_verified') refused.push(name);
    }
    expect(refused.toSorted()).toEqual(NEEDS_PROOF);
    for (const name of SOMETIMES) expect(CALLS[name].problems, name).toContain('email_not_verified');
    promise('spam');
  });

  it('cannot import domains or add recipients and webhooks', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const entries = [{ host: 'one.example.com' }];
    const imported = (await nora.ask(CALLS.importDomains, { body: { entries } })).problem;
    expect([imported.code, imported.detail]).toEqual([
      'email_not_verified',
      'Confirm your address to import domains. Without it you can add up to 10, one at a time.',
    ]);
    for (const config of [
      { kind: 'email', address: 'ops@fjord.example' },
      { kind: 'webhook', url: 'https://hooks.example.com/' },
    ]) {
      const { problem } = await nora.ask(CALLS.addChannel, { body: { config } });
      expect([problem.code, problem.detail]).toEqual([
        'email_not_verified',
        'Confirm your address to send alerts to channels other than your own email.',
      ]);
    }
    expect((await nora.ask(CALLS.listDomains)).ok.total).toBe(0);
    const mails = await api.store.db.selectFrom('mails').select('recipient').distinct().execute();
    expect(mails).toEqual([{ recipient: nora.email }]);
    await markVerified(api.store, nora.id);
    expect((await nora.ask(CALLS.importDomains, { body: { entries } })).status).toBe(200);
    promise('spam');
  });

  it('can disable, rename and remove an existing channel, but not redirect, enable or test it', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    await markVerified(api.store, nora.id);
    const config = { kind: 'webhook', url: 'https://hooks.example.com/' };
    const { key } = (await nora.ask(CALLS.addChannel, { body: { config } })).ok.data.channel;
    const earlier = (await nora.ask(CALLS.testChannel, { params: { key } })).ok.data;
    await api.store.db.updateTable('accounts').set({ email_verified: 0 }).execute();
    const change = async (body: object) =>
      (await nora.ask(CALLS.changeChannel, { params: { key }, body })).status;
    const sendTest = async (channel: string) =>
      (await nora.ask(CALLS.testChannel, { params: { key: channel } })).status;
    expect([await sendTest(key), await sendTest(OWN_MAIL)]).toEqual([403, 200]);
    expect((await nora.ask(CALLS.replayDelivery, { params: { id: earlier.id } })).status).toBe(403);
    expect(await change({ name: 'Ours' })).toBe(200);
    expect(await change({ enabled: false })).toBe(200);
    expect(await change({ enabled: true })).toBe(403);
    expect(await change({ config: { ...config, url: 'https://victim.example.com/' } })).toBe(403);
    expect((await nora.ask(CALLS.removeChannel, { params: { key } })).status).toBe(200);
  });

  it('can switch off an existing status page, but not change it', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const page = { title: 'What we run', slug: 'what-nora-runs', enabled: true };
    const save = (body: object) => nora.ask(CALLS.saveStatusPage, { body });
    const { problem } = await save(page);
    expect([problem.code, problem.detail]).toEqual([
      'email_not_verified',
      'Confirm your address to publish a status page.',
    ]);
    await markVerified(api.store, nora.id);
    await save(page);
    await api.store.db.updateTable('accounts').set({ email_verified: 0 }).execute();
    expect((await save({ title: 'Call this number' })).status).toBe(403);
    expect((await save({ enabled: false, title: 'Call this number' })).status).toBe(403);
    expect((await save({ enabled: false })).ok.data).toMatchObject({ enabled: false, title: 'What we run' });
    expect((await save({ enabled: true })).status).toBe(403);
  });

  it('can trigger one check a minute per domain, whether by check, resume or bulk call', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const { id } = (await add(nora, 'shop.example.com')).ok.data;
    const params = { id };
    const check = () => nora.ask(CALLS.checkDomain, { params });
    const resume = () => nora.ask(CALLS.resumeDomain, { params, body: {} });
    expect((await check()).status).toBe(202);
    const { problem } = await check();
    expect([problem.code, problem.detail]).toEqual([
      'email_not_verified',
      'The limit of 1 check a minute per domain without a confirmed address is reached. Confirm your address, or wait a minute.',
    ]);
    await nora.ask(CALLS.pauseDomain, { params });
    expect((await resume()).problem.code).toBe('email_not_verified');
    const bulk = { action: 'resume', ids: [id] };
    expect((await nora.ask(CALLS.actOnDomains, { body: bulk })).ok.data[0]?.problem).toBe(
      'email_not_verified',
    );
    api.clock.advance(MINUTE_MS);
    expect((await resume()).status).toBe(200);
    expect((await check()).status).toBe(403);
    await markVerified(api.store, nora.id);
    expect((await check()).status).toBe(202);
  });

  it('is refused every bulk check of a domain that it checked within the last minute', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const { id } = (await add(nora, 'shop.example.com')).ok.data;
    await nora.ask(CALLS.checkDomain, { params: { id } });
    const body = { action: 'check', ids: [id] };
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await nora.ask(CALLS.actOnDomains, { body })).ok.data[0]?.problem).toBe('email_not_verified');
    api.clock.advance(MINUTE_MS);
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await nora.ask(CALLS.actOnDomains, { body })).ok.data[0]?.problem).toBeNull();
  });

  it('can add thirty domains a day, counting removed ones', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const addAndRemove = async (host: string) => {
      const answer = await add(nora, host);
      if (answer.status !== 200) return answer.problem.detail;
      await nora.ask(CALLS.removeDomain, { params: { id: answer.ok.data.id } });
      return 'added';
    };
    for (let index = 0; index < 30; index++)
      expect(await addAndRemove(`host-${index}.example.com`)).toBe('added');
    expect(await addAndRemove('host-30.example.com')).toBe(
      'The limit of 30 added domains a day without a confirmed address is reached. Confirm your address, or wait until tomorrow.',
    );
    await markVerified(api.store, nora.id);
    expect(await addAndRemove('host-30.example.com')).toBe('added');
  });

  it('can trigger at most ten checks in ten minutes by changing a domain’s frequency', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const { id } = (await add(nora, 'shop.example.com')).ok.data;
    const setMinutes = async (minutes: 10 | 60 | 1440) =>
      (await nora.ask(CALLS.setFrequency, { params: { id }, query: { check_frequency: String(minutes) } }))
        .status;
    for (let change = 0; change < 5; change++) {
      expect(await setMinutes(10)).toBe(200);
      expect(await setMinutes(60)).toBe(200);
    }
    expect(await setMinutes(10)).toBe(403);
    for (let again = 0; again < 20; again++) expect(await setMinutes(60)).toBe(200);
    api.clock.advance(10 * MINUTE_MS);
    expect(await setMinutes(10)).toBe(200);
  });

  it('can retry a refused call with the same Idempotency-Key after verifying', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const entries = [{ host: 'one.example.com' }];
    const ask = () =>
      nora.ask(CALLS.importDomains, { body: { entries }, headers: { 'Idempotency-Key': 'nightly-1' } });
    expect((await ask()).status).toBe(403);
    await markVerified(api.store, nora.id);
    expect((await ask()).status).toBe(200);
  });

  it('can pause one domain and resume another right after the domain limit rejected a resume', async () => {
    const api = await startApi(open);
    const nora = await signUp(api.send, { name: 'Nora' });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await add(nora, `${name}.example.com`)).ok.data.id);
    const [paused = '', other = ''] = ids;
    const params = { id: paused };
    await nora.ask(CALLS.pauseDomain, { params });
    const [fourth] = await addMonitors(api.store, {
      accountId: nora.id,
      checkEveryMinutes: 1440,
      now: api.clock.now(),
      mayAdd: () => true,
      endpoints: [{ host: 'd.example.com', port: 443, protocol: 'https' }],
    });
    expect(fourth?.ok).toBe(true);
    const resume = (body: object) => nora.ask(CALLS.resumeDomain, { params, body });
    expect((await resume({})).problem.code).toBe('limit_reached');
    expect((await resume({ instead_of: other })).status).toBe(200);
    await nora.ask(CALLS.pauseDomain, { params });
    expect((await resume({})).problem.code).toBe('email_not_verified');
  });

  it('cannot exceed ten checks of a host in ten minutes by removing and adding it', async () => {
    const api = await startApi(open);
    const nora = await newcomer(api);
    const again = async () => {
      const answer = await add(nora, 'shop.example.com');
      if (answer.status !== 200) return answer.problem.detail;
      return nora.ask(CALLS.removeDomain, { params: { id: answer.ok.data.id } });
    };
    for (let count = 0; count < 10; count++) expect(await again()).toMatchObject({ status: 200 });
    expect(await again()).toBe(
      'The limit of 10 checks in 10 minutes per host without a confirmed address is reached. Confirm your address, or wait a few minutes.',
    );
    expect((await add(nora, 'other.example.com')).status).toBe(200);
    api.clock.advance(10 * MINUTE_MS);
    expect(await again()).toMatchObject({ status: 200 });
  });
});

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { consumeRateLimit } from '../../server/store/operations/rate-limits.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { createPasskeyDevice } from '../kit/providers/passkey-device.ts';
import { type Client, createClient, signUp } from '../kit/product/people.ts';
import {
  addPasskey,
  askWithPasskey,
  enter,
  resetPassword,
  signInAtProvider,
  useCodes,
} from './identity-acts.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const MINUTE = 60_000;
const ORIGIN = 'http://localhost:8080';

describeEachDatabase('A passkey', (open) => {
  it('signs its person in without a password or a one-time code', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const provider = await signInAtProvider(api.send, alice);
    const device = await addPasskey(provider, { origin: ORIGIN, name: 'Phone' });
    await useCodes(provider, alice);

    const browser = createClient(api.send);
    expect((await askWithPasskey(browser, device)).status).toBe(200);
    expect(await enter(browser)).toBe(alice.id);
    const { passkeys } = (await browser.ask(CALLS.identityMethods)).ok.data;
    expect(passkeys).toEqual([
      { id: expect.any(String), name: 'Phone', created_at: expect.stringMatching(/^20/) },
    ]);
  });

  it('is added and removed only in a provider session, and removed only by its owner', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const device = createPasskeyDevice(ORIGIN);
    // A session of the product alone is not enough.
    for (const asked of [
      alice.ask(CALLS.newPasskeyOptions),
      alice.ask(CALLS.addPasskey, { body: { response: device.create({ challenge: 'x' }) } }),
      alice.ask(CALLS.removePasskey, { body: { id: 'x' } }),
    ])
      expect((await asked).problem.code).toBe('not_authenticated');

    const own = await signInAtProvider(api.send, alice);
    const added = await addPasskey(own, { origin: ORIGIN });
    const [passkey] = (await alice.ask(CALLS.identityMethods)).ok.data.passkeys;
    expect(passkey).toMatchObject({ name: 'Passkey' });
    const id = passkey?.id ?? '';
    const others = await signInAtProvider(api.send, charlie);
    expect((await others.ask(CALLS.removePasskey, { body: { id } })).problem.code).toBe('not_found');
    expect((await own.ask(CALLS.removePasskey, { body: { id: 'none' } })).problem.code).toBe('not_found');
    expect((await own.ask(CALLS.removePasskey, { body: { id } })).status).toBe(200);
    expect((await askWithPasskey(createClient(api.send), added)).problem.code).toBe('invalid_credentials');
    promise('7.5.1');
  });

  it('is added without another sign-in within five minutes of the last one', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const resumed = async (client: Client) => (await client.ask(CALLS.resumeIdentity)).ok.data.resumed;
    api.clock.advance(4 * MINUTE);
    expect(await resumed(alice)).toBe(true);
    await addPasskey(alice, { origin: ORIGIN, name: 'Phone' });
    expect((await alice.ask(CALLS.identityMethods)).ok.data.passkeys).toHaveLength(1);
    await alice.ask(CALLS.signOut);
    // A refresh of the session does not count as a sign-in.
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(200);
    api.clock.advance(2 * MINUTE);
    expect(await resumed(alice)).toBe(false);
    expect((await alice.ask(CALLS.newPasskeyOptions)).problem.code).toBe('not_authenticated');
  });

  it('cannot be added by a browser whose session was ended elsewhere after it resumed its sign-in', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const other = await signInAtProvider(api.send, alice);
    expect(await enter(other)).toBe(alice.id);
    const ends: (() => Promise<unknown>)[] = [
      async () => {
        const sessions = (await other.ask(CALLS.listSessions)).ok.data;
        const id = sessions.find(({ current }) => !current)?.id ?? '';
        return (await other.ask(CALLS.endOneSession, { params: { id } })).ok;
      },
      async () => (await other.ask(CALLS.endAllSessions)).ok,
      () => resetPassword(api, alice.email, 'eine andere Ziege im Moos'),
    ];
    for (const end of ends) {
      const browser = await signInAtProvider(api.send, alice);
      expect(await enter(browser)).toBe(alice.id);
      expect((await browser.ask(CALLS.resumeIdentity)).ok.data).toEqual({ resumed: true });
      expect((await browser.ask(CALLS.newPasskeyOptions)).status).toBe(200);
      await end();
      expect((await browser.ask(CALLS.newPasskeyOptions)).problem.code).toBe('not_authenticated');
      expect((await browser.ask(CALLS.resumeIdentity)).problem.code).toBe('not_authenticated');
    }
  });

  it('is accepted only for this origin, a fresh challenge and with user verification', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const provider = await signInAtProvider(api.send, alice);
    const add = async (device: ReturnType<typeof createPasskeyDevice>, change = {}) => {
      const options = (await provider.ask(CALLS.newPasskeyOptions)).ok;
      const body = { response: device.create({ ...options, ...change }) };
      return provider.ask(CALLS.addPasskey, { body });
    };
    const device = createPasskeyDevice(ORIGIN);
    const bad = {
      'another origin': await add(createPasskeyDevice('https://evil.example')),
      'another place': await add(device, { rp: { id: 'evil.example' } }),
      'another challenge': await add(device, { challenge: randomBytes(32).toString('base64url') }),
      'nobody at the device': await add(createPasskeyDevice(ORIGIN, { verifiesUser: false })),
      nonsense: await provider.ask(CALLS.addPasskey, {
        body: { response: { id: 'x', type: 'public-key' } },
      }),
    };
    for (const [name, answer] of Object.entries(bad))
      expect([name, answer.problem.code]).toEqual([name, 'invalid_request']);
    expect((await add(device)).status).toBe(200);

    const browser = createClient(api.send);
    const options = (await browser.ask(CALLS.passkeySignInOptions)).ok;
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    const response = device.get(options);
    expect((await browser.ask(CALLS.passkeySignIn, { body: { response } })).status).toBe(200);
    // The challenge is used up.
    const again = await browser.ask(CALLS.passkeySignIn, { body: { response } });
    expect(again.problem.code).toBe('invalid_credentials');
  });

  it('belongs to one person, even if another device claims its id', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = randomBytes(32);
    const mine = createPasskeyDevice(ORIGIN, { id });
    const forged = createPasskeyDevice(ORIGIN, { id });
    const add = async (person: typeof alice, device: typeof mine) => {
      const client = await signInAtProvider(api.send, person);
      const options = (await client.ask(CALLS.newPasskeyOptions)).ok;
      return client.ask(CALLS.addPasskey, { body: { response: device.create(options) } });
    };
    expect((await add(alice, mine)).status).toBe(200);
    expect((await add(charlie, forged)).problem.code).toBe('invalid_request');
    const browser = createClient(api.send);
    expect((await askWithPasskey(browser, forged)).problem.code).toBe('invalid_credentials');
    expect((await askWithPasskey(browser, mine)).status).toBe(200);
    expect(await enter(browser)).toBe(alice.id);
    promise('8.2.2');
  });

  it('counts toward the limit of failed sign-ins by address', async () => {
    const api = await startApi(open);
    const key = 'sign-in:address:198.51.100.7';
    for (let used = 0; used < 49; used++)
      await consumeRateLimit(api.store, { key, limit: 50, windowMs: 900_000, now: api.clock.now() });
    const stranger = createPasskeyDevice(ORIGIN);
    const ask = async () => askWithPasskey(createClient(api.send), stranger);
    expect((await ask()).status).toBe(401);
    expect((await ask()).status).toBe(429);
    promise('6.3.1');
  });
});

import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createPasskeyDevice } from '../kit/providers/passkey-device.ts';
import { createClient, identityToken, type Person, signIn, signUp } from '../kit/product/people.ts';
import {
  addPasskey,
  askWithPasskey,
  enter,
  mailedToken,
  resetPassword,
  signInAtProvider,
  useCodes,
} from './identity-acts.ts';
import { provision } from './takeover-provisions.ts';
import { startApi, type TestApi } from './test-api.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { promise } from '../security/promise.ts';

const ORIGIN = 'http://localhost:8080';
const VICTIMS = 'only the victim knows this';

/** Registers the victim's address first, with every kind of access that an attacker could prepare. */
async function squat(api: TestApi) {
  const attacker = await signUp(api.send, { name: 'Victim' });
  const provider = await signInAtProvider(api.send, attacker);
  const device = await addPasskey(provider, { origin: ORIGIN });
  const { app, backupCodes } = await useCodes(provider, attacker);
  // Further sign-in methods half set up, and a token in reserve.
  const adding = createPasskeyDevice(ORIGIN);
  const addingOptions = (await provider.ask(CALLS.newPasskeyOptions)).ok;
  const waiting = createClient(api.send);
  await waiting.ask(CALLS.signIn, { body: { email: attacker.email, password: attacker.password } });
  const token = await identityToken(provider);
  return { attacker, provider, device, app, backupCodes, adding, addingOptions, waiting, token };
}

async function expectNothingLeft(api: TestApi, squatted: Awaited<ReturnType<typeof squat>>) {
  const { attacker, provider, device, app, backupCodes, adding, addingOptions, waiting, token } = squatted;
  const { email, password } = attacker;
  const stranger = createClient(api.send);
  const answers = {
    session: await attacker.ask(CALLS.currentUser),
    'refresh token': await attacker.ask(CALLS.refreshSession),
    password: await stranger.ask(CALLS.signIn, { body: { email, password } }),
    passkey: await askWithPasskey(stranger, device),
    'session of the provider': await provider.ask(CALLS.identityToken),
    'token in reserve': await stranger.ask(CALLS.openSession, { body: { token } }),
    'sign-in that waits for a code': await waiting.ask(CALLS.verifyTotp, { body: { code: app.next() } }),
    'backup code': await waiting.ask(CALLS.verifyBackupCode, { body: { code: backupCodes[0] ?? '' } }),
    'passkey to be': await provider.ask(CALLS.addPasskey, {
      body: { response: adding.create(addingOptions) },
    }),
  };
  for (const [name, { status }] of Object.entries(answers)) expect([name, status]).toEqual([name, 401]);
  for (const table of ['passkey', 'twoFactor'] as const)
    expect(await api.store.db.selectFrom(table).select('id').execute()).toEqual([]);
}

/** Returns the ids of the domains that a worker would check now. */
async function claimDueIds({ store, clock }: TestApi): Promise<string[]> {
  const claim = { now: clock.now(), limit: 10, leaseMs: 1, claimedBy: 'test' };
  return (await claimDue(store, claim)).map(({ id }) => id);
}

describeAnyDatabase('An attacker who registered somebody else’s address first', (open) => {
  it('loses all access once the owner of the address sets a password by mail', async () => {
    const api = await startApi(open);
    const squatted = await squat(api);
    await resetPassword(api, squatted.attacker.email, VICTIMS);
    await expectNothingLeft(api, squatted);

    const victim = await signIn(api.send, { ...squatted.attacker, password: VICTIMS });
    expect(victim.id).toBe(squatted.attacker.id);
    expect((await victim.ask(CALLS.identityMethods)).ok.data).toEqual({
      provider: 'built-in',
      password: true,
      totp: false,
      passkeys: [],
      oidc: [],
    });
    promise('takeover');
    promise('6.4.3');
  });

  it('loses secret URLs and API tokens, and the domains are paused until the owner resumes them', async () => {
    const api = await startApi(open);
    const made = await provision(api);
    const { squatter, domain } = made;
    const bearer = { headers: { authorization: `Bearer ${made.token}` } };
    const visit = async (path: string, init = {}) => (await api.send(path, init)).status;
    const addresses = [made.calendar, made.badge, made.statusPage];
    for (const path of addresses) expect([path, await visit(path)]).toEqual([path, 200]);
    expect(await visit('/api/domain/list', bearer)).toBe(200);

    await resetPassword(api, squatter.email, VICTIMS);
    for (const path of addresses) expect([path, await visit(path)]).toEqual([path, 404]);
    expect(await visit('/api/domain/list', bearer)).toBe(401);

    const owner = await signIn(api.send, { ...squatter, password: VICTIMS });
    expect((await owner.ask(CALLS.currentUser)).ok.data).toMatchObject({ full_name: '', paddle_id: '' });
    const pausedBy = async () => (await owner.ask(CALLS.domain, { params: { id: domain } })).ok.data.paused;
    expect(await pausedBy()).toBe('unconfirmed');
    expect((await owner.ask(CALLS.standing)).ok.data).toMatchObject({
      paused_by_plan: 0,
      paused_unconfirmed: 3,
    });
    // Neither Premium nor disabling and enabling the account resumes the domains.
    await grantPremium(api.store, owner.id, { grant: { endsAt: null }, now: api.clock.now() });
    await disableAccount(api.store, owner.id, api.clock.now());
    await enableAccount(api.store, owner.id);
    const back = await signIn(api.send, { ...squatter, password: VICTIMS });
    const before = await back.ask(CALLS.domain, { params: { id: domain } });
    expect(before.ok.data.paused).toBe('unconfirmed');
    expect(await claimDueIds(api)).toEqual([]);

    const [resumed] = (await back.ask(CALLS.actOnDomains, { body: { action: 'resume', ids: [domain] } })).ok
      .data;
    expect(resumed?.domain?.paused).toBeNull();
    expect((await back.ask(CALLS.standing)).ok.data.paused_unconfirmed).toBe(2);
    expect(await claimDueIds(api)).toEqual([domain]);
    promise('takeover');
  });

  it('loses all access once the owner signs in with another provider that verified the address', async () => {
    const api = await startApi(open);
    const squatted = await squat(api);
    const events = createIdentityEvents({
      store: api.store,
      publicUrl: new URL(ORIGIN),
      clock: api.clock,
    });
    const { id: before } = await api.store.db.selectFrom('user').select('id').executeTakeFirstOrThrow();
    const profile = { name: 'Owner', image: 'https://owner.example/me.png' };
    const subject = await events.addressProven(before, { profile });
    await expectNothingLeft(api, squatted);
    expect(await api.store.db.selectFrom('account').select('id').execute()).toEqual([]);
    const [user] = await api.store.db.selectFrom('user').selectAll().execute();
    expect({ ...user, emailVerified: Boolean(user?.emailVerified) }).toMatchObject({
      id: subject,
      email: squatted.attacker.email,
      emailVerified: true,
      ...profile,
    });
    expect(
      await api.store.db.selectFrom('identities').select(['subject', 'email_verified']).execute(),
    ).toEqual([{ subject, email_verified: 1 }]);
    // For a person whose address is already verified, the event changes nothing.
    expect(await events.addressProven(subject ?? '', { profile })).toBe(subject);
    expect(await events.addressProven(before, { profile })).toBeNull();
  });

  it('cannot get the address verified when its owner clicks the mailed link', async () => {
    const api = await startApi(open);
    const attacker = await signUp(api.send, { name: 'Victim' });
    const token = await mailedToken(api.store, attacker.email, 'verify_email');
    const owner = createClient(api.send);
    expect((await owner.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe('not_authenticated');
    // A session of another account does not verify the address either.
    const other = await signUp(api.send, { name: 'Owner' });
    expect((await other.ask(CALLS.verifyEmail, { body: { token } })).problem.code).toBe('invalid_token');
    expect(
      await api.store.db
        .selectFrom('accounts')
        .select('email_verified')
        .where('id', '=', attacker.id)
        .execute(),
    ).toEqual([{ email_verified: 0 }]);
  });

  it('an account whose address is verified in its own session keeps its domains and its calendar', async () => {
    const api = await startApi(open);
    const { squatter: person, domain, calendar } = await provision(api);
    const token = await mailedToken(api.store, person.email, 'verify_email');
    expect((await person.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
    expect((await person.ask(CALLS.domain, { params: { id: domain } })).ok.data.paused).toBeNull();
    expect((await api.send(calendar)).status).toBe(200);
  });

  it('keeps no session from sign-ins that race with the owner’s password reset', async () => {
    const api = await startApi(open);
    const attacker = await signUp(api.send, { name: 'Victim' });
    const { email, password } = attacker;
    const browser = createClient(api.send);
    await browser.ask(CALLS.requestPasswordReset, { body: { email } });
    const token = await mailedToken(api.store, email, 'reset_password');

    // Sign in with the old password and open sessions continuously until the reset has finished.
    const clients: Person[] = [];
    const race = { isOver: false };
    const hammer = async () => {
      while (!race.isOver) {
        const client = createClient(api.send);
        if ((await client.ask(CALLS.signIn, { body: { email, password } })).status !== 200) continue;
        const issued = await client.ask(CALLS.identityToken);
        if (issued.status !== 200) continue;
        const opened = await client.ask(CALLS.openSession, { body: { token: issued.ok.token } });
        if (opened.status === 200) clients.push({ ...attacker, ...client });
      }
    };
    const hammers = [hammer(), hammer(), hammer()];
    const reset = await browser.ask(CALLS.resetPassword, { body: { token, password: VICTIMS } });
    race.isOver = true;
    await Promise.all(hammers);
    expect(reset.status).toBe(200);
    for (const client of [attacker, ...clients])
      expect((await client.ask(CALLS.currentUser)).status).toBe(401);
    expect(await api.store.db.selectFrom('session').select('id').execute()).toEqual([]);
    expect(await api.store.db.selectFrom('sessions').select('id').execute()).toEqual([]);
    expect(await enter(await signInAtProvider(api.send, { ...attacker, password: VICTIMS }))).toBe(
      attacker.id,
    );
  });
});

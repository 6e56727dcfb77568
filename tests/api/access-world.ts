import { sql } from 'kysely';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createCheckoutReferences } from '../../server/api/billing/payment-webhook.ts';
import type { AuthorityFacts } from '../../server/core/pasted-certificates.ts';
import type { TokenScope } from '../../contract/token.ts';
import { newToken } from '../../server/api/auth/personal-tokens.ts';
import { createToken } from '../../server/store/accounts/api-tokens.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { disableAccount } from '../../server/store/accounts/account-administration.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { openSession } from '../../server/store/accounts/sessions.ts';
import {
  type Client,
  createClient,
  identityToken,
  markVerified,
  type Person,
  signUp,
} from '../kit/product/people.ts';
import { OIDC_CLIENT, startOidcServer } from '../kit/providers/oidc-server.ts';
import { SECRETS, startApi, type TestApi } from './test-api.ts';
import { HOUR_MS } from '../../contract/durations.ts';
import { giveAlerting } from './access-alerting.ts';
import { certificatesOf, giveCertificates } from './access-certificates.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';

/**
 * Kinds of callers. All except `anonymous` have or had an account. `disabled` and `deleted` kept their cookies and the ids
 * that they knew.
 */
export const CALLERS = ['anonymous', 'owner', 'stranger', 'free', 'premium', 'disabled', 'deleted'] as const;
export type CallerName = (typeof CALLERS)[number];

/** Ids of things that belong to a caller. */
export interface Things {
  domain: string;
  /** Fingerprint and PEM of the certificate that the domain serves, and the fingerprint of the certificate before it. */
  certificate: string;
  certificatePem: string;
  formerCertificate: string;
  pausedDomain: string;
  otherSession: string;
  /** A CA certificate that the account trusts. */
  authority: string;
  /** Id of a personal token. */
  token: string;
  /** Id of a webhook. */
  channel: string;
  /** A delivery to the account's own address. */
  delivery: string;
  incident: string;
  maintenance: string;
  /** Reference of a checkout. */
  reference: string;
}

export interface Caller {
  name: CallerName;
  /** null for the anonymous caller. */
  person: Person | null;
  /** Issued by the identity provider before the account was disabled or deleted. */
  idToken: string;
  things: Things;
  /** Returns a browser with a new session, and restores `things`. */
  arrive(): Promise<Client>;
  /** Marks session and things as used up: the next `arrive` creates new ones. */
  leave(): void;
}

export interface World {
  api: TestApi;
  /** Name of the session cookie. */
  cookieName: string;
  /** @throws if `createWorld` was not asked for this caller. */
  caller(name: CallerName): Caller;
  /** Values of the owner that no other caller may ever see. */
  secrets(): string[];
  /** Returns every row of every table as text, except the counters of rate limits. */
  rows(): Promise<string[]>;
}

export const TEST_PRICE = 'pri_test_premium_monthly';
const facts: AuthorityFacts = {
  fingerprint: '',
  serialNumber: '',
  subject: 'Root',
  subjectFullDn: 'CN=Root',
  issuer: 'Root',
  authorityName: 'Root',
  authorityFullDn: 'CN=Root',
  authorityUrl: null,
  sans: [],
  notBefore: 0,
  notAfter: 0,
};
const referenceOf = (accountId: string) => createCheckoutReferences(SECRETS.session).of(accountId);

/** Returns ids of things that do not exist. */
export const nobodysThings = (): Things => ({
  domain: randomUUID(),
  ...certificatesOf(randomUUID()).things,
  pausedDomain: randomUUID(),
  otherSession: randomUUID(),
  authority: randomUUID(),
  token: randomUUID(),
  channel: randomUUID(),
  delivery: randomUUID(),
  incident: randomUUID(),
  maintenance: randomUUID(),
  reference: referenceOf(randomUUID()),
});

/** Creates the owner and the callers in `names`. */
export async function createWorld(
  open: () => Promise<Store>,
  names: readonly CallerName[] = CALLERS,
): Promise<World> {
  const api = await startWithProvider(open);
  const cookieName = await sessionCookieName(api);
  const callers = new Map<CallerName, Caller>();
  for (const name of new Set(['owner', ...names] as const))
    callers.set(name, await createCaller(api, cookieName, name));
  function caller(name: CallerName): Caller {
    const known = callers.get(name);
    if (known === undefined) throw new Error(`Nobody asked for the ${name}`);
    return known;
  }
  function secrets(): string[] {
    const { person, things } = caller('owner');
    return [
      person?.id ?? '',
      person?.email ?? '',
      person?.name ?? '',
      'owner.example.com',
      ...Object.values(things),
    ];
  }
  const tables = (await api.store.db.introspection.getTables())
    .map(({ name }) => name as 'accounts')
    .filter((name: string) => name !== 'rate_limits');
  // One query for all tables of PostgreSQL: forty queries would take most of the time of these tests.
  const every = sql.join(
    tables.map((name) => sql`select ${sql.lit(`${name} `)} || to_json(t) as text from ${sql.table(name)} t`),
    sql` union all `,
  );
  async function rows(): Promise<string[]> {
    if (api.store.dialect === 'postgres') {
      const answer = await sql<{ text: string }>`${every}`.execute(api.store.db);
      return answer.rows.map(({ text }) => text).toSorted();
    }
    const ofTables = tables.map(async (name) =>
      (await api.store.db.selectFrom(name).selectAll().execute()).map(
        (row) => `${name} ${JSON.stringify(row)}`,
      ),
    );
    return (await Promise.all(ofTables)).flat().toSorted();
  }
  return { api, cookieName, caller, secrets, rows };
}

/** Starts an API with an OpenID provider and in test mode, so that no call lacks a feature. Logged errors fail the test. */
async function startWithProvider(open: () => Promise<Store>): Promise<TestApi> {
  const errors: unknown[] = [];
  const log = { info() {}, warn() {}, error: (...entry: unknown[]) => void errors.push(entry) };
  const redirectUris = ['http://localhost:8080/api/identity/oauth2/callback/oidc'];
  const provider = await startOidcServer({ redirectUris });
  onTestFinished(() => provider.stop());
  onTestFinished(() => expect(errors).toEqual([]));
  return startApi(open, {
    log,
    openId: [{ id: 'oidc', name: 'OpenID', issuer: provider.issuer, ...OIDC_CLIENT }],
  });
}

async function sessionCookieName(api: TestApi): Promise<string> {
  const document = (await (await api.send('/api/openapi.json')).json()) as {
    components: { securitySchemes: { session: { name: string } } };
  };
  return document.components.securitySchemes.session.name;
}

async function createCaller(api: TestApi, cookieName: string, name: CallerName): Promise<Caller> {
  const { store, clock } = api;
  // Each caller has its own address, because rate limits count by address.
  const send = api.sendFrom(`198.51.100.${CALLERS.indexOf(name) + 1}`);
  const nothing = nobodysThings();
  if (name === 'anonymous')
    return {
      name,
      person: null,
      idToken: 'none',
      things: nothing,
      arrive: () => Promise.resolve(createClient(send)),
      leave() {},
    };

  const person = await signUp(send, { name: `${name}-${randomUUID().slice(0, 8)}` });
  const again = await signInOnly(send, person);
  let session: Client['cookies'] | null = null;
  const caller: Caller = {
    name,
    person,
    idToken: again,
    things: nothing,
    async arrive() {
      if (name === 'disabled' || name === 'deleted') return createClient(send, new Map(person.cookies));
      if (session === null) {
        if (name !== 'stranger') caller.things = await give(store, person.id, name, clock.now());
        ({ cookies: session } = await newSession(store, {
          accountId: person.id,
          cookieName,
          now: clock.now(),
        }));
      }
      return createClient(send, new Map(session));
    },
    leave() {
      session = null;
    },
  };
  await markVerified(store, person.id);
  if (name === 'owner' || name === 'stranger')
    await grantPremium(store, person.id, { grant: { endsAt: null }, now: clock.now() });
  if (name === 'premium') {
    const body = { price_id: TEST_PRICE, reference: referenceOf(person.id) };
    expect((await person.ask(CALLS.testPay, { body })).status).toBe(200);
  }
  if (name !== 'stranger') caller.things = await give(store, person.id, name, clock.now());
  if (name === 'disabled') await disableAccount(store, person.id, clock.now());
  if (name === 'deleted') await createClient(send, new Map(person.cookies)).ask(CALLS.deleteUser);
  return caller;
}

async function signInOnly(send: Person['send'], { email, password }: Person): Promise<string> {
  const client = createClient(send);
  const signedIn = await client.ask(CALLS.signIn, { body: { email, password } });
  return signedIn.ok && identityToken(client);
}

/** The owner has one active and one paused domain; Free and Premium have the Free plan's three and a paused one. */
async function give(store: Store, accountId: string, name: CallerName, now: number): Promise<Things> {
  await store.db.deleteFrom('monitors').where('account_id', '=', accountId).execute();
  await store.db.deleteFrom('authorities').where('account_id', '=', accountId).execute();
  await store.db.deleteFrom('api_tokens').where('account_id', '=', accountId).execute();
  const running = name === 'owner' ? 1 : 3;
  const ids: string[] = [];
  for (let count = 0; count <= running; count++) {
    const added = await addMonitor(store, {
      accountId,
      host: count === 0 ? `${name}.example.com` : `${name}-${count}.example.com`,
      port: 443,
      protocol: 'https',
      checkEveryMinutes: 1440,
      now: now + count,
      mayAdd: () => true,
    });
    if (!added.ok) throw new Error(added.code);
    ids.push(added.monitor.id);
  }
  await store.db
    .insertInto('favicons')
    .values({
      host: `${name}.example.com`,
      port: 443,
      content_type: 'image/png',
      content: new Uint8Array(8),
      version: '1',
      next_fetch_at: now,
    })
    .onConflict((conflict) => conflict.columns(['host', 'port']).doNothing())
    .execute();
  const [domain = '', ...others] = ids;
  const pausedDomain = others.at(-1) ?? '';
  await store.db
    .updateTable('monitors')
    .set({ active: 0, paused_by: 'user', paused_at: now })
    .where('id', '=', pausedDomain)
    .execute();
  await store.db.updateTable('monitors').set({ icon_fetched: 1 }).where('id', '=', domain).execute();
  const certificates = certificatesOf(name);
  await giveCertificates(store, { accountId, monitorId: domain, certificates: certificates.seen, now });
  await store.db
    .insertInto('deadlines')
    .values({
      account_id: accountId,
      monitor_id: domain,
      fingerprint: certificates.things.certificate,
      rule: 'server_auth_only',
      from_at: now,
      not_after: now,
      first_seen_at: now,
      renewed_at: null,
    })
    .execute();
  const other = await newSession(store, { accountId, cookieName: '', now });
  const authority = randomUUID();
  await store.db
    .insertInto('authorities')
    .values({
      id: authority,
      account_id: accountId,
      fingerprint: randomUUID(),
      created_at: now,
      der: new Uint8Array(8),
      facts: JSON.stringify(facts),
    })
    .execute();
  const token = await giveToken(store, { accountId, scopes: ['read'], now });
  const alerting = await giveAlerting(store, { accountId, domain, now });
  return {
    domain,
    ...certificates.things,
    pausedDomain,
    otherSession: other.id,
    authority,
    token: token.id,
    ...alerting,
    reference: referenceOf(accountId),
  };
}

/** Creates a personal token as the page does. */
export async function giveToken(
  store: Store,
  { accountId, scopes, now }: { accountId: string; scopes: TokenScope[]; now: number },
): Promise<{ id: string; secret: string }> {
  const { secret, prefix } = newToken();
  const made = await createToken(store, {
    accountId,
    secret,
    prefix,
    name: 'Script',
    scopes,
    expiresAt: null,
    max: Infinity,
    now,
  });
  if (!made.ok) throw new Error(made.code);
  return { id: made.token.id, secret };
}

/** Opens a session as a sign-in does, without the cost of a sign-in. */
export async function newSession(
  store: Store,
  { accountId, cookieName, now }: { accountId: string; cookieName: string; now: number },
): Promise<{ id: string; cookies: Client['cookies'] }> {
  const id = randomUUID();
  const [access, refresh] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
  await openSession(store, {
    sessionId: id,
    accountId,
    accessHash: hash(access),
    refreshHash: hash(refresh),
    accessExpiresAt: now + HOUR_MS,
    refreshIdleExpiresAt: now + HOUR_MS,
    refreshExpiresAt: now + HOUR_MS,
    signedInAt: now,
  });
  const cookies = new Map([
    [cookieName, { value: `${id}.${access}`, path: '/' }],
    [cookieName.replace('session', 'refresh'), { value: `${id}.${refresh}`, path: '/' }],
  ]);
  return { id, cookies };
}

/**
 * Returns the things that a caller's requests name: the owner's for the anonymous caller and the stranger, the caller's own
 * for all others.
 */
export function thingsFor(world: World, caller: Caller): Things {
  const isForeign = caller.name === 'anonymous' || caller.name === 'stranger';
  return (isForeign ? world.caller('owner') : caller).things;
}

import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { AppEnv } from '../../../server/api/http/app-env.ts';
import { createSessions } from '../../../server/api/auth/session.ts';
import { BUILT_IN } from '../../../server/providers/identity/index.ts';
import { grantPremium } from '../../../server/store/accounts/accounts.ts';
import { identityFlag } from '../../../server/store/db/dialect.ts';
import { openAccount } from '../../../server/store/accounts/sign-in.ts';
import type { Store } from '../../../server/store/db/open-store.ts';
import { type Client, createClient, markVerified, type Person, type Send } from './people.ts';
import { CACHED_PASSWORD_HASHING } from './cached-passwords.ts';

export interface CastOptions {
  store: Store;
  /** Sends requests to the product. */
  send: Send;
  /** The IP address that the product sees in requests of `send`. */
  address: string;
  sessionSecret: string;
  secureCookies: boolean;
  clock: { now(): number };
}

export interface Cast {
  alice: Person;
  bob: Person;
  charlie: Person;
  anonymous: Client;
}

/**
 * Adds three people with a session each. Alice has the Free plan, Bob Premium, and Charlie must have no access to anybody's
 * things. Their addresses are verified unless `verified` is false. They are written as rows: three sign-ups took nine tenths
 * of the time of many tests.
 */
export async function addCast(options: CastOptions, { verified = true } = {}): Promise<Cast> {
  const { store, send, clock } = options;
  const alice = await addPerson(options, 'Alice');
  const bob = await addPerson(options, 'Bob');
  const charlie = await addPerson(options, 'Charlie');
  await grantPremium(store, bob.id, { grant: { endsAt: null }, now: clock.now() });
  if (verified) for (const { id } of [alice, bob, charlie]) await markVerified(store, id);
  return { alice, bob, charlie, anonymous: createClient(send) };
}

/** Adds what a sign-up with name and password leaves, without its verification mail and its share of the sign-up limits. */
async function addPerson(options: CastOptions, name: string): Promise<Person> {
  const { store, send, address, clock } = options;
  const now = clock.now();
  const email = `${name.toLowerCase()}-${randomUUID().slice(0, 8)}@example.test`;
  const password = 'correct horse';
  const subject = randomUUID();
  const instant = new Date(now).toISOString();
  const times = { createdAt: instant, updatedAt: instant };
  await store.db
    .insertInto('user')
    .values({
      id: subject,
      name,
      email,
      emailVerified: identityFlag(store.dialect, false),
      twoFactorEnabled: identityFlag(store.dialect, false),
      image: null,
      company: null,
      trial: null,
      ...times,
    })
    .execute();
  await store.db
    .insertInto('account')
    .values({
      id: randomUUID(),
      userId: subject,
      accountId: subject,
      providerId: 'credential',
      password: await CACHED_PASSWORD_HASHING.hash(password),
      ...times,
    })
    .execute();
  const identity = { issuer: BUILT_IN, subject, email, emailVerified: false };
  const opened = await openAccount(store, { ...identity, name, company: null, now });
  if (!opened.ok) throw new Error(`${email} got no account: ${opened.code}`);

  const sessions = createSessions({ ...options, secret: options.sessionSecret });
  const app = new Hono<AppEnv>().get('/', async (c) => {
    c.set('client', { shown: address, network: address, prefix: address });
    await sessions.open(c, opened.account);
    return c.body(null);
  });
  const browser = createClient(async (path) => app.request(path));
  await browser.send('/');
  return { ...createClient(send, browser.cookies), name, email, password, id: opened.account.id };
}

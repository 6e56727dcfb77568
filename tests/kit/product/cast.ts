import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { AppEnv } from '../../../server/api/http/app-env.ts';
import { createSessions } from '../../../server/api/auth/session.ts';
import { BUILT_IN } from '../../../server/providers/identity/id-token.ts';
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
 * Adds three people with a session each. Alice has the Free plan and Bob has Premium. Charlie must have no access to the
 * things of the others. Their addresses are verified unless `verified` is false. The rows are inserted directly: three
 * sign-ups took nine tenths of the time of many tests.
 */
export async function addCast(options: CastOptions, { verified = true } = {}): Promise<Cast> {
  const { store, send, clock } = options;
  const alice = await addPerson(options, { name: 'Alice', verified });
  const bob = await addPerson(options, { name: 'Bob', verified });
  const charlie = await addPerson(options, { name: 'Charlie', verified });
  await grantPremium(store, bob.id, { grant: { endsAt: null }, now: clock.now() });
  return { alice, bob, charlie, anonymous: createClient(send) };
}

interface NewPerson {
  name: string;
  company?: string;
  email?: string;
  password?: string;
  timeZone?: string;
  /** True if the account starts with the Premium trial. */
  trial?: boolean;
  verified?: boolean;
}

/**
 * Writes the rows of a sign-up with name and password, and a session. Sends no verification mail and does not count towards the
 * sign-up limits.
 */
export async function addPerson(
  options: CastOptions,
  {
    name,
    company,
    email = `${name.toLowerCase()}-${randomUUID().slice(0, 8)}@example.test`,
    password = 'correct horse',
    timeZone,
    trial = false,
    verified = false,
  }: NewPerson,
): Promise<Person> {
  const { store, send, address, clock } = options;
  const now = clock.now();
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
  const opened = await openAccount(store, {
    issuer: BUILT_IN,
    subject,
    email,
    emailVerified: false,
    name,
    company: company ?? null,
    timeZone: timeZone ?? null,
    trial: trial ? { addressHash: subject } : null,
    now,
  });
  if (!opened.ok) throw new Error(`${email} got no account: ${opened.code}`);

  const sessions = createSessions({ ...options, secret: options.sessionSecret });
  const app = new Hono<AppEnv>().get('/', async (c) => {
    c.set('client', { shown: address, network: address, prefix: address });
    await sessions.open(c, opened.account, clock.now());
    return c.body(null);
  });
  const browser = createClient(async (path) => app.request(path));
  await browser.send('/');
  if (verified) await markVerified(store, opened.account.id);
  return { ...createClient(send, browser.cookies), name, email, password, id: opened.account.id };
}

import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { createFirebaseIdentity } from '../../server/providers/identity/firebase.ts';
import { deleteAccount } from '../../server/store/accounts/account-deletion.ts';
import { AccessEnded, inTransaction, runAsCaller } from '../../server/store/db/transaction.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { createClient, type Input, type Person } from '../kit/product/people.ts';
import { PROJECT, startGoogleIdentity } from '../kit/providers/google-identity.ts';
import { accountTables, rowsOf } from '../kit/databases/account-tables.ts';
import { pretendProof, provision } from './takeover-provisions.ts';
import { startApi, type TestApi } from './test-api.ts';
import { holdWrites } from './held-writes.ts';

const authority = mintAuthority({ commonName: 'Another Root' });

describeEachDatabase('Requests of an account during its takeover', (open, name) => {
  it('are refused before they write anything', async () => {
    const api = await startApi(open);
    const { squatter, domain, token } = await provision(api);
    const requests = writes(domain);
    await pretendProof(api, squatter.id, true);
    const held = holdWrites(api.store);
    const program = createClient(api.send);
    const answers = [
      ...requests.map(([call, input]) => squatter.ask(call, input)),
      program.ask(CALLS.addMaintenance, {
        ...windowOf(domain),
        headers: { authorization: `Bearer ${token}` },
      }),
    ];
    await held.whenAsked(answers.length);
    held.passOthers();
    await pretendProof(api, squatter.id, false);
    await prove(api);
    const before = await everything(api, squatter);
    held.release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual(answers.map(() => 401));
    expect(await everything(api, squatter)).toEqual(before);
    // Deleting an account begins by cancelling its subscription, which writes nothing to the account.
    const deleting = runAsCaller({ accountId: squatter.id, sessionId: crypto.randomUUID() }, () =>
      deleteAccount(api.store, squatter.id, api.clock.now()),
    );
    await expect(deleting).rejects.toThrow(AccessEnded);
  });

  it('delay the takeover if their transaction is already open, and the takeover then removes their rows', async () => {
    const api = await startApi(open);
    const { squatter } = await provision(api);
    const session = await api.store.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
    const [written, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Insert without a lock on the account, so that the takeover can wait for the session only.
    const window = {
      id: 'late',
      account_id: squatter.id,
      monitor_id: null,
      repeats: 'weekly' as const,
      note: '',
      starts_at: 0,
      ends_at: 1,
      created_at: 0,
    };
    const adding = runAsCaller({ accountId: squatter.id, sessionId: session.id }, () =>
      inTransaction(api.store, async (trx) => {
        await trx.insertInto('maintenance_windows').values(window).execute();
        written.resolve();
        await go.promise;
      }),
    );
    await written.promise;
    const proving = prove(api);
    // SQLite has one writer, so the takeover waits in any case.
    if (name === 'postgres') await Promise.race([proving, untilSomebodyWaits(api)]);
    go.resolve();
    await Promise.all([adding, proving]);
    expect(await api.store.db.selectFrom('maintenance_windows').select('id').execute()).toEqual([]);
  });

  it('create no session if they are sign-ins', async () => {
    const google = await startGoogleIdentity();
    onTestFinished(() => google.stop());
    const api = await startApi(open, {
      identity: createFirebaseIdentity({
        config: { projectId: PROJECT, emulatorUrl: null, serviceAccount: null },
        endpoints: google.endpoints,
        log: { warn: () => {} },
      }),
    });
    const signIn = async (emailVerified: boolean) => {
      const token = await google.idToken({ email_verified: emailVerified });
      return createClient(api.send).ask(CALLS.openSession, { body: { token } });
    };
    expect((await signIn(false)).status).toBe(200);
    // The account has been read and accepted. Creating the session is the next write.
    const held = holdWrites(api.store, { from: 1 });
    const squatter = signIn(false);
    await held.whenAsked(1);
    held.passOthers();
    expect((await signIn(true)).status).toBe(200);
    held.release();
    expect((await squatter).status).toBe(401);
    expect(await api.store.db.selectFrom('sessions').select('id').execute()).toHaveLength(1);
  });
});

async function untilSomebodyWaits({ store }: TestApi): Promise<void> {
  const waiting = () =>
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      store.db,
    );
  await expect.poll(async () => (await waiting()).rows.length).toBeGreaterThan(0);
}

const windowOf = (domain: string): Input => ({
  body: {
    domain_id: domain,
    repeats: 'never',
    starts_at: '2030-01-01T00:00:00Z',
    ends_at: '2030-01-01T01:00:00Z',
  },
});

/** A call for each thing that a person can make or change. */
function writes(domain: string): [Call, Input][] {
  const params = { id: domain };
  const webhook = { kind: 'webhook', url: 'https://more.squatter.example/' };
  return [
    [CALLS.updateUser, { body: { full_name: 'Squatter', company: null } }],
    [CALLS.addDomain, { body: { host: 'late.example.com' } }],
    [CALLS.resumeDomain, { params, body: {} }],
    [CALLS.removeDomain, { params }],
    [CALLS.describeDomain, { params, body: { notes: 'late' } }],
    [CALLS.addChannel, { body: { config: webhook } }],
    [CALLS.changeAccountAlerts, { body: { settings: { muted: ['uptime'] }, digest: true } }],
    [CALLS.changeDomainAlerts, { params, body: { muted: ['changed'] } }],
    [CALLS.addMaintenance, windowOf(domain)],
    [CALLS.makeCalendar, {}],
    [CALLS.makeBadge, { params }],
    [CALLS.saveStatusPage, { body: { title: 'Late', slug: 'late', enabled: true } }],
    [CALLS.addAuthorities, { body: { pem: authority.certificatePem } }],
    [CALLS.makeToken, { body: { name: 'late', scopes: ['read'], expires_in_days: null } }],
    [CALLS.sendFeedback, { body: { title: 'feedback', message: 'late' } }],
  ];
}

async function prove({ store, clock }: TestApi): Promise<void> {
  const { id } = await store.db.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const events = createIdentityEvents({ store, clock, publicUrl: new URL('http://localhost:8080') });
  expect(await events.addressProven(id, { profile: { name: 'Owner', image: null } })).not.toBeNull();
}

async function everything({ store }: TestApi, { id }: Person) {
  const rows: Record<string, unknown> = {};
  for (const table of (await accountTables(store)).keys()) rows[table] = await rowsOf(store, table, id);
  return rows;
}

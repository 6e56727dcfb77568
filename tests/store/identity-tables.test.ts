import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { jwt, twoFactor } from 'better-auth/plugins';
import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';

describeEachDatabase('the tables of better-auth', (open) => {
  it('match the schema that the installed version expects', async () => {
    const { compileMigrations } = await getMigrations(optionsFor(await open()));
    expect(await compileMigrations()).toBe(';');
  });

  it('support a sign-up, a sign-in and an ID token', async () => {
    const store = await open();
    const auth = betterAuth(optionsFor(store));
    const person = { email: 'alice@example.com', password: 'correct horse', name: 'Alice' };
    await auth.api.signUpEmail({ body: person });
    const { user } = await auth.api.signInEmail({ body: person });
    const { keys } = await auth.api.getJwks();
    expect(keys).toHaveLength(1);
    const { token: idToken } = await auth.api.signJWT({ body: { payload: { sub: user.id } } });
    expect(idToken.split('.')).toHaveLength(3);
  });

  it('are pruned of expired sessions and verification values', async () => {
    const store = await open();
    const auth = betterAuth(optionsFor(store));
    await auth.api.signUpEmail({
      body: { email: 'alice@example.com', password: 'correct horse', name: 'Alice' },
    });
    const session = await store.db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow();
    const expiresAt = new Date(session.expiresAt).getTime();
    const { internalAdapter } = await auth.$context;
    await internalAdapter.createVerificationValue({
      identifier: 'a link',
      value: 'alice',
      expiresAt: new Date(expiresAt),
    });
    for (const table of ['session', 'verification'] as const) {
      expect(await deleteExpired(store, table, expiresAt - 60_000)).toBe(0);
      expect(await deleteExpired(store, table, expiresAt + 60_000)).toBe(1);
    }
  });
});

function optionsFor(store: Store) {
  return {
    database: store.identityDatabase,
    baseURL: 'http://localhost',
    secret: 'only for this test, and long enough',
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    plugins: [jwt(), twoFactor(), passkey()],
  };
}

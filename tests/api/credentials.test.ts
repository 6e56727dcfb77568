import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, signUp } from '../kit/product/people.ts';
import { enter, signInAtProvider } from './identity-acts.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

describeAnyDatabase('A new deployment', (open) => {
  it('starts without accounts and without sessions', async () => {
    const { store } = await startApi(open);
    for (const table of ['accounts', 'identities', 'user', 'account', 'session', 'sessions'] as const)
      expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([]);
    promise('6.3.2');
  });
});

describeAnyDatabase('A password', (open) => {
  it('accepts any characters and a length of 128', async () => {
    const { send } = await startApi(open);
    for (const password of ['7341906', 'пароль мой', '<script>"\'; --', `${'long '.repeat(25)}end`]) {
      const charlie = await signUp(send, { name: 'Charlie', password });
      expect(await enter(await signInAtProvider(send, charlie)), password).toBe(charlie.id);
    }
    promise('6.2.5');
    promise('6.2.9');
  });

  it('still signs its person in a year after it was set', async () => {
    const { send, store } = await startApi(open);
    const charlie = await signUp(send, { name: 'Charlie' });
    const setAt = new Date(Date.now() - 365 * DAY_MS).toISOString();
    await store.db.updateTable('account').set({ createdAt: setAt, updatedAt: setAt }).execute();
    expect(await enter(await signInAtProvider(send, charlie))).toBe(charlie.id);
    promise('6.2.10');
  });

  it('must match exactly: case, full length and surrounding spaces', async () => {
    const { send } = await startApi(open);
    const password = `Nearly ${'a very long passphrase '.repeat(5)}`;
    const { email } = await signUp(send, { name: 'Charlie', password });
    for (const other of [
      password.toLowerCase(),
      password.trim(),
      `${password} `,
      password.slice(0, 72),
      password.slice(0, -1),
    ]) {
      const { problem } = await createClient(send).ask(CALLS.signIn, { body: { email, password: other } });
      expect(problem.code).toBe('invalid_credentials');
    }
    promise('6.2.8');
  });
});

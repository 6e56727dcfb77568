import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { type Client, createClient, identityToken, type Person, signIn } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const PERSON = { name: 'Ada', email: 'ada@fjord.example', password: 'correct horse' };

/** Opens the session after a sign-up or sign-in, as a page does that did not see an earlier attempt. */
async function openSession(client: Client) {
  const token = await identityToken(client);
  return (await client.ask(CALLS.openSession, { body: { token } })).ok.data;
}

describeEachDatabase('A sign-up', (open) => {
  it('a sign-up that was interrupted keeps company and trial until the next sign-in creates the account', async () => {
    const api = await startApi(open);
    const first = createClient(api.send);
    const body = { ...PERSON, company: 'Fjord AS', trial: true };
    expect((await first.ask(CALLS.signUp, { body })).status).toBe(200);

    const elsewhere = createClient(api.send);
    const { email, password } = PERSON;
    expect((await elsewhere.ask(CALLS.signIn, { body: { email, password } })).status).toBe(200);
    expect(await openSession(elsewhere)).toMatchObject({ full_name: 'Ada', company_name: 'Fjord AS' });
    expect((await elsewhere.ask(CALLS.standing)).ok.data).toMatchObject({
      status: 'trialing',
      source: 'trial',
    });
  });

  it('sets the account’s company once, so a removed company does not return at the next sign-in', async () => {
    const api = await startApi(open);
    const ada = createClient(api.send);
    await ada.ask(CALLS.signUp, { body: { ...PERSON, company: 'Fjord AS' } });
    const { id, company_name: company } = await openSession(ada);
    expect(company).toBe('Fjord AS');
    await ada.ask(CALLS.updateUser, { body: { full_name: 'Ada', company: null } });
    const again = await signIn(api.send, { ...ada, ...PERSON, id } satisfies Person);
    expect((await again.ask(CALLS.currentUser)).ok.data?.company_name).toBe('');
  });

  it('a sign-up with a company of 201 characters fails without creating a user', async () => {
    const api = await startApi(open);
    const ada = createClient(api.send);
    const refused = await ada.ask(CALLS.signUp, { body: { ...PERSON, company: 'x'.repeat(201) } });
    expect(refused.problem.code).toBe('invalid_request');
    expect(await api.store.db.selectFrom('user').select('id').execute()).toEqual([]);
    expect((await ada.ask(CALLS.signUp, { body: PERSON })).status).toBe(200);
  });
});

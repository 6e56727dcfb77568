import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { findAccount, updateAccount } from '../../server/store/accounts/accounts.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, identityToken, type Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';

/** Signs in once more from a browser in this time zone. */
async function arrive({ send }: TestApi, { email, password }: Person, timeZone: string) {
  const client = createClient(send);
  expect((await client.ask(CALLS.signIn, { body: { email, password } })).status).toBe(200);
  const body = { token: await identityToken(client) };
  const headers = { 'time-zone': timeZone };
  return (await client.ask(CALLS.openSession, { body, headers })).ok.data.time_zone;
}

describeAnyDatabase('The time zone of an account', (open) => {
  it('is that of the first browser that sends a known time zone, and later browsers do not change it', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    expect((await alice.ask(CALLS.currentUser)).ok.data?.time_zone).toBeNull();
    for (const unknown of ['Mars/Olympus_Mons', '+05:30', '-08'])
      expect(await arrive(api, alice, unknown)).toBeNull();
    expect(await arrive(api, alice, 'Europe/Oslo')).toBe('Europe/Oslo');
    expect(await arrive(api, alice, 'Asia/Tokyo')).toBe('Europe/Oslo');
  });

  it('has its current name in answers, even if a former name was sent or stored', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    expect(await arrive(api, alice, 'Asia/Calcutta')).toBe('Asia/Kolkata');
    const choose = (zone: string) => alice.ask(CALLS.setTimeZone, { body: { time_zone: zone } });
    for (const zone of ['Europe/Kiev', 'Europe/Kyiv'])
      expect((await choose(zone)).ok.data.time_zone).toBe('Europe/Kyiv');
    const stored = () => findAccount(api.store, alice.id);
    expect(await stored()).toMatchObject({ timeZone: 'Europe/Kyiv' });
    await updateAccount(api.store, bob.id, { timeZone: 'Asia/Saigon' });
    expect((await bob.ask(CALLS.currentUser)).ok.data?.time_zone).toBe('Asia/Ho_Chi_Minh');
    expect((await bob.ask(CALLS.accountAlerts)).ok.data.time_zone).toBe('Asia/Ho_Chi_Minh');
  });

  it('can be set and cleared by its owner; unknown zones are refused', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const choose = (zone: string | null) => alice.ask(CALLS.setTimeZone, { body: { time_zone: zone } });
    expect((await choose('America/New_York')).ok.data.time_zone).toBe('America/New_York');
    const renamed = await alice.ask(CALLS.updateUser, { body: { full_name: 'Alice', company: null } });
    expect(renamed.ok.data.time_zone).toBe('America/New_York');
    for (const unknown of ['Mars/Olympus_Mons', '+05:30', '-0800'])
      expect((await choose(unknown)).problem).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining('Please choose a time zone'),
      });
    expect((await choose(null)).ok.data.time_zone).toBeNull();
  });
});

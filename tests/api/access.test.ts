import { expect, it } from 'vitest';
import { CALLS, type Call } from '../../contract/calls.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { createClient, type Input, type Person } from '../kit/people.ts';
import { startApi } from './test-api.ts';

/** What each call that needs a session is asked with; `id` is a domain of Alice's. */
const INPUTS: Record<string, (id: string) => Input> = {
  currentUser: () => ({}),
  updateUser: () => ({ body: { full_name: 'Mallory' } }),
  subscription: () => ({}),
  premium: () => ({}),
  listDomains: () => ({}),
  domainSummary: () => ({}),
  addDomain: () => ({ body: { host: 'new.example.com' } }),
  domainHistory: (id) => ({ params: { id } }),
  setFrequency: (id) => ({ params: { id }, query: { check_frequency: '1440' } }),
  checkDomain: (id) => ({ params: { id } }),
  events: () => ({}),
  removeDomain: (id) => ({ params: { id } }),
  deleteUser: () => ({}),
};
const BY_ID = ['domainHistory', 'setFrequency', 'checkDomain', 'removeDomain'];
const guarded = Object.entries<Call>(CALLS).filter(([, call]) => call.access === 'session');

async function withDomain(owner: Person): Promise<string> {
  return (await owner.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data.id;
}

it('knows how to ask every call that needs a session', () => {
  expect(Object.keys(INPUTS).toSorted()).toEqual(guarded.map(([name]) => name).toSorted());
});

describeEachDatabase('Access', (open) => {
  it('is refused to anonymous callers, to forged cookies and to deleted accounts', async () => {
    const api = await startApi(open);
    const { alice, bob, anonymous } = await api.cast();
    const id = await withDomain(alice);
    const deleted = createClient(api.send, new Map(bob.cookies));
    await bob.ask(CALLS.deleteUser);
    const forged = createClient(api.send);
    for (const [name, cookie] of alice.cookies)
      forged.cookies.set(name, { ...cookie, value: `${cookie.value.slice(0, -4)}AAAA` });

    for (const [name, call] of guarded) {
      const input = INPUTS[name]?.(id) ?? {};
      for (const client of [anonymous, forged, deleted]) {
        const { status, problem } = await client.ask(call, input);
        expect([name, status, problem.code]).toEqual([name, 401, 'not_authenticated']);
      }
    }
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(1);
  });

  it('to a domain is its owner’s alone: a stranger cannot tell it from one that does not exist', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    const id = await withDomain(alice);
    const nowhere = crypto.randomUUID();

    for (const name of BY_ID) {
      const call = guarded.find(([known]) => known === name)?.[1] as Call;
      for (const stranger of [bob, charlie]) {
        const { problem: existing } = await stranger.ask(call, INPUTS[name]?.(id));
        const { problem: missing } = await stranger.ask(call, INPUTS[name]?.(nowhere));
        expect(existing.status).toBe(404);
        expect({ ...existing, request_id: '' }).toEqual({ ...missing, request_id: '' });
      }
    }
    for (const odd of ['1', "'; drop table monitors; --", '%00', '..', 'x'.repeat(4000)]) {
      const params = { id: encodeURIComponent(odd) };
      expect((await charlie.ask(CALLS.domainHistory, { params })).status).toBe(404);
    }
    expect((await charlie.ask(CALLS.listDomains)).ok.data).toEqual([]);
    expect((await charlie.ask(CALLS.domainSummary)).ok.data.total).toBe(0);
    expect((await alice.ask(CALLS.listDomains)).ok.data.map((domain) => domain.id)).toEqual([id]);
  });

  it('is granted to the owner, on every call', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await withDomain(alice);
    // In the order of INPUTS, which ends with what takes things away.
    for (const [name, input] of Object.entries(INPUTS)) {
      const call = guarded.find(([known]) => known === name)?.[1];
      if (call === undefined || call === CALLS.events) continue;
      const answer = await alice.ask(call, input(id));
      expect(answer.ok, name).toBeTruthy();
      expect(answer.headers.get('cache-control'), name).toBe('no-store');
    }
  });
});

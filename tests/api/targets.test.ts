import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { type CheckedEndpoint, effectiveTarget } from '../../server/core/target.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const HOST = 'shop.example.com';
const add = (person: Person, host: string, target: Record<string, string | null> = {}) =>
  person.ask(CALLS.addDomain, { body: { host, ...target } });
const ALL = {
  connect_to: 'Backend.Example.:8443',
  server_name: 'None',
  verify_name: 'Other.Example',
  expected_status: '401, 200-399',
  family: 'IPv6',
};
const NORMALISED = {
  connect_to: 'backend.example:8443',
  server_name: 'none',
  verify_name: 'other.example',
  expected_status: '200-399,401',
  family: '6',
  summary:
    'The check connects to backend.example:8443, sends no server name, expects a certificate for other.example, expects the HTTP status 200-399,401 and uses IPv6 only.',
};

describeEachDatabase('The target of a domain', (open) => {
  it('is returned in normalised form, is part of the name, and can be sent again', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const { data } = (await add(bob, HOST, ALL)).ok;
    expect(data).toMatchObject({
      hostname: HOST,
      port: 443,
      display_name: `${HOST} via backend.example:8443 (no server name, verifies other.example, status 200-399,401, IPv6)`,
      target: NORMALISED,
    });
    const { data: listed } = (await bob.ask(CALLS.listDomains)).ok;
    expect(listed.map(({ target }) => target)).toEqual([NORMALISED]);
    const { summary: _, ...sentAgain } = NORMALISED;
    expect((await add(bob, HOST, sentAgain)).problem).toMatchObject({
      code: 'domain_exists',
      detail: `You already track ${data.display_name}.`,
    });
  });

  it('target is null if every field has its default value', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    expect((await add(bob, 'plain.example')).ok.data).toMatchObject({
      target: null,
      display_name: 'plain.example',
    });
    const said = { connect_to: HOST, server_name: null, verify_name: HOST, expected_status: '', family: ' ' };
    expect((await add(bob, HOST, said)).ok.data.target).toBeNull();
    expect((await add(bob, HOST)).problem.code).toBe('domain_exists');
    const stored = await api.store.db.selectFrom('monitors').select('target').execute();
    expect(stored).toEqual([{ target: '' }, { target: '' }]);
  });

  it('makes two domains of two backends, which a lookup tells apart', async () => {
    const asked: string[] = [];
    const isInDns = async (endpoint: CheckedEndpoint) => (
      asked.push(effectiveTarget(endpoint).connectTo.host),
      true
    );
    const api = await startApi(open, { isInDns });
    const { bob } = await api.cast();
    const one = (await add(bob, HOST, { connect_to: '192.0.2.10' })).ok.data;
    const two = (await add(bob, HOST, { connect_to: 'backend.example' })).ok.data;
    expect([one, two].map((each) => each.display_name)).toEqual([
      `${HOST} via 192.0.2.10`,
      `${HOST} via backend.example`,
    ]);
    const look = async (target: object) =>
      (await bob.ask(CALLS.lookUpHost, { query: { host: HOST, ...target } })).ok.data.domain_id;
    expect(await look({ connect_to: 'Backend.Example:443' })).toBe(two.id);
    expect(await look({ connect_to: '192.0.2.10' })).toBe(one.id);
    expect(await look({})).toBeNull();
    expect(asked).toEqual(['backend.example', '192.0.2.10', HOST]);
    const query = { q: 'via backend' };
    expect((await bob.ask(CALLS.listDomains, { query })).ok.data.map(({ id }) => id)).toEqual([two.id]);
  });

  it.each<[Record<string, string>, string]>([
    [{ connect_to: '10.0.0.7' }, 'Connect to: This IP address is private or reserved'],
    [{ connect_to: 'nas' }, 'Connect to: This name works on a local network only'],
    [{ connect_to: 'https://backend.example' }, 'Connect to: Enter a host name or an IP address'],
    [{ server_name: '192.0.2.10' }, 'Server name: Enter a host name'],
    [{ verify_name: 'a b' }, 'Name to verify: Enter a host name or an IP address'],
    [{ expected_status: 'ok' }, 'Expected status: Enter HTTP statuses'],
    [{ family: '5' }, 'Address family: Enter 4 or 6'],
  ])('is refused with the name of the field: %j', async (target, detail) => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    expect((await add(bob, HOST, target)).problem).toMatchObject({
      code: 'invalid_host',
      detail: expect.stringContaining(detail) as string,
    });
  });

  it('needs a confirmed address for a sensitive port, and is limited by the ports of the host that it connects to', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    await api.store.db
      .updateTable('accounts')
      .set({ email_verified: 0 })
      .where('id', '=', charlie.id)
      .execute();
    const { problem } = await add(charlie, HOST, { connect_to: 'backend.example:22' });
    expect(problem.code).toBe('email_not_verified');
    for (let port = 8001; port <= 8021; port++) {
      const answer = await add(alice, `host-${port}.example`, { connect_to: `backend.example:${port}` });
      if (port > 8020) expect(answer.problem.code).toBe('too_many_requests');
      else await alice.ask(CALLS.removeDomain, { params: { id: answer.ok.data.id } });
    }
  });

  it('is previewed and imported with each line, and exported as columns', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const entries = [
      { host: HOST, connect_to: '192.0.2.10', family: '4', tags: ['eu'] },
      { host: HOST, connect_to: 'backend.example', server_name: 'none' },
      { host: HOST, connect_to: '192.0.2.10:443' },
      { host: HOST, family: 'seven' },
      { host: HOST },
    ];
    const preview = (await bob.ask(CALLS.previewImport, { body: { entries } })).ok.data.entries;
    expect(preview.map(({ outcome, endpoint, message }) => endpoint ?? [outcome, message])).toEqual([
      `${HOST}:443 {"connect_to":"192.0.2.10"}`,
      `${HOST}:443 {"connect_to":"backend.example","server_name":"none"}`,
      `${HOST}:443 {"connect_to":"192.0.2.10"}`,
      ['invalid', 'Address family: Enter 4 or 6.'],
      `${HOST}:443`,
    ]);
    const imported = (await bob.ask(CALLS.importDomains, { body: { entries } })).ok.data;
    expect(imported.map(({ problem, domain }) => problem ?? domain?.display_name)).toEqual([
      `${HOST} via 192.0.2.10`,
      `${HOST} via backend.example (no server name)`,
      'domain_exists',
      'invalid_host',
      HOST,
    ]);
    const csv = await (await bob.send('/api/domain/export?sort=newest')).text();
    const rows = Papa.parse<Record<string, string>>(csv, { header: true }).data;
    expect(rows.slice(0, 3).map((row) => [row['host'], row['connect_to'], row['server_name']])).toEqual([
      [HOST, '', ''],
      [HOST, 'backend.example', 'none'],
      [HOST, '192.0.2.10', ''],
    ]);
  });

  it('is on no public status page', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    await add(bob, HOST, { connect_to: '192.0.2.10' });
    const page = { title: 'Fjord', slug: 'fjord-systems', enabled: true, shows: 'all' as const };
    await bob.ask(CALLS.saveStatusPage, { body: page });
    const shown = await (await api.sendFrom('203.0.113.5')('/api/status/fjord-systems')).text();
    expect(shown).toContain(HOST);
    expect(shown).not.toContain('192.0.2.10');
  });
});

import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const authority = mintAuthority({ commonName: '=HYPERLINK("https://evil.example")' });

const add = async (person: Person, host: string) =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;
/** Returns the rows of the file, keyed by column name, as a spreadsheet reads them. */
async function rowsOf(person: Person, query = '') {
  const text = await (await person.send(`/api/domain/export${query}`)).text();
  return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
}

describeAnyDatabase('The CSV file of domains', (open) => {
  it('has one row per domain, in the order and with the filter of the list', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    for (const host of ['b.example', 'a.example', 'bücher.example:8443']) await add(bob, host);
    const name = () =>
      `attachment; filename="certlantern-domains-${new Date(api.clock.now()).toISOString().slice(0, 10)}.csv"`;
    const before = name();
    const response = await bob.send('/api/domain/export?sort=name');
    expect(response.headers.get('content-disposition')).toBeOneOf([before, name()]);
    expect(response.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/i);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = Buffer.from(await response.arrayBuffer());
    expect(text.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(text.toString().split('\r\n').slice(0, 2)).toEqual([
      '\uFEFFhost,port,state,days_left,issuer,subject,valid_from,expiry_date,revocation,trusted,last_checked_at,check_every_minutes,paused,tags,notes,problem,protocol,uptime,down_since,response_ms,connect_to,server_name,verify_name,expected_status,family,attention,next_renewal,next_renewal_expected_at,next_renewal_problem',
      'a.example,443,pending,,,,,,unknown,,,1440,,,,,https,,,,,,,,,,,,',
    ]);
    const hosts = async (query: string) => (await rowsOf(bob, query)).map(({ host }) => host);
    expect(await hosts('?sort=name')).toEqual(['a.example', 'b.example', 'xn--bcher-kva.example']);
    expect(await hosts('?q=b.example')).toEqual(['b.example']);
    expect(await hosts('?status=ok')).toEqual([]);
    expect(await rowsOf(charlie)).toEqual([]);
    const head = await bob.send('/api/domain/export', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('the CSV file has all known values and escapes text that a spreadsheet would run as a formula', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice, 'shop.example');
    const notAfter = new Date(Math.floor(api.clock.now() / 1000) * 1000 - DAY_MS);
    const leaf = authority.issue({
      commonName: '@SUM(1)\r\n+2',
      dnsNames: ['shop.example'],
      notBefore: new Date(notAfter.getTime() - DAY_MS),
      notAfter,
    });
    await finishChecks(api, authority, answeredWith(leaf));
    await add(alice, 'gone.example');
    await finishChecks(api, authority, refusedByPolicy);
    const body = { notes: '=cmd|"/c calc"!A0\n-1', tags: ['+prod', 'eu'] };
    await alice.ask(CALLS.describeDomain, { params: { id }, body });
    await alice.ask(CALLS.pauseDomain, { params: { id } });

    const [gone, shop] = await rowsOf(alice);
    const { data } = (await alice.ask(CALLS.domain, { params: { id } })).ok;
    expect(shop).toEqual({
      host: 'shop.example',
      port: '443',
      state: 'paused',
      days_left: '-2',
      issuer: `'=HYPERLINK("https://evil.example")`,
      subject: `'@SUM(1) +2`,
      valid_from: data.valid_from,
      expiry_date: notAfter.toISOString(),
      // The certificate is valid for two days only.
      revocation: 'not_applicable',
      protocol: 'https',
      // Unknown, because the domain is paused.
      uptime: '',
      down_since: '',
      response_ms: '5',
      trusted: 'false',
      last_checked_at: data.last_checked_at,
      check_every_minutes: '1440',
      paused: 'user',
      tags: `'+prod, eu`,
      notes: `'=cmd|"/c calc"!A0\n'-1`,
      // Empty, because the problem of a paused domain may be fixed by now.
      problem: '',
      connect_to: '',
      server_name: '',
      verify_name: '',
      expected_status: '',
      family: '',
      // Empty, because a paused domain needs no attention.
      attention: '',
      next_renewal: '',
      next_renewal_expected_at: '',
      next_renewal_problem: '',
    });
    expect(gone).toMatchObject({
      state: 'unread',
      attention: 'unreachable',
      trusted: '',
      problem: 'The address policy of this server does not allow checking this host.',
    });
    promise('hostile-text');
  });

  it('says why a host is down, as its page does', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const host = 'failing.example';
    const id = await add(alice, host);
    await finishChecks(api, authority, answeredWith(authority.issue({ dnsNames: [host] })));
    const message = `${host} answered with the error 503.`;
    const at = api.clock.now();
    await insertIncidents(api.store.db, [
      {
        account_id: alice.id,
        monitor_id: id,
        id: 'outage',
        problem: 'down',
        fingerprint: '',
        recovered: 0,
        facts: '{}',
        started_at: at,
        confirmed_at: at,
        ended_at: null,
        cause: 'server_error',
        message,
      },
    ]);
    await api.store.db.updateTable('monitors').set({ uptime: 'down' }).execute();
    expect(await rowsOf(alice)).toMatchObject([{ attention: 'down', problem: message }]);
    const { uptime } = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
    expect(uptime.cause).toBe(message);
  });

  it('contains every domain of an account with 450', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    const row = { account_id: bob.id, port: 443, revoked: 0, check_every_minutes: 1440, next_check_at: now };
    const hosts = Array.from({ length: 450 }, (_, index) => `host-${String(index).padStart(3, '0')}.example`);
    await api.store.db
      .insertInto('monitors')
      .values(hosts.map((host) => ({ ...row, id: host, host, created_at: now })))
      .execute();
    expect((await rowsOf(bob, '?sort=name')).map(({ host }) => host)).toEqual(hosts);
  });

  it('is limited to thirty downloads in ten minutes', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const ask = async (person: Person) => (await person.ask(CALLS.exportDomains)).status;
    for (let time = 0; time < 30; time++) expect(await ask(alice)).toBe(200);
    expect(await ask(alice)).toBe(429);
    expect(await ask(charlie)).toBe(200);
  });
});

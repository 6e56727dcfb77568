import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const ask = (person: Person, entries: unknown[]) => person.ask(CALLS.importDomains, { body: { entries } });
const imported = async (person: Person, entries: unknown[]) => (await ask(person, entries)).ok.data;
const preview = async (person: Person, entries: unknown[]) =>
  (await person.ask(CALLS.previewImport, { body: { entries } })).ok.data;
const LINES = [
  { host: 'https://Shop.Example.com/cart' },
  { host: 'shop.example.com:443', notes: 'The same.' },
  { host: 'bücher.example:8443' },
  { host: '192.0.2.10' },
  { host: '10.0.0.1' },
  { host: 'no host' },
];

describeEachDatabase('A domain import', (open) => {
  it('previews the outcome of each line without adding anything', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    await imported(alice, [{ host: 'shop.example.com' }]);
    const before = await alice.ask(CALLS.listDomains);
    const { room, entries } = await preview(alice, LINES);
    expect(room).toBe(2);
    expect(entries.map(({ outcome, endpoint }) => [outcome, endpoint])).toEqual([
      ['exists', 'shop.example.com:443'],
      ['exists', 'shop.example.com:443'],
      ['new', 'xn--bcher-kva.example:8443'],
      ['new', '192.0.2.10:443'],
      ['invalid', null],
      ['invalid', null],
    ]);
    expect(entries[2]).toMatchObject({ display_name: 'bücher.example:8443', message: null });
    expect(entries[4]?.message).toBe(
      'This IP address is private or reserved and cannot be tracked here. The operator can allow private ranges (EGRESS_ALLOW_CIDRS).',
    );
    expect((await alice.ask(CALLS.listDomains)).ok).toEqual(before.ok);
    expect((await preview(bob, LINES)).room).toBeNull();
    expect((await preview(charlie, LINES)).entries[0]?.outcome).toBe('new');
  });

  it('adds domains in the order of the lines, each once, without waiting for checks', async () => {
    const api = await startApi(open, { timing: { firstCheckMs: 20_000 } });
    const { bob } = await api.cast();
    const results = await imported(bob, LINES);
    expect(results.map(({ problem, domain }) => problem ?? domain?.display_name)).toEqual([
      'shop.example.com',
      'domain_exists',
      'bücher.example:8443',
      '192.0.2.10',
      'invalid_host',
      'invalid_host',
    ]);
    expect(results[0]?.domain).toMatchObject({ state: 'pending', checking: true, check_every_minutes: 1440 });
    expect(results[1]?.message).toBe('You already track shop.example.com.');
    expect((await imported(bob, LINES)).map(({ domain }) => domain)).toEqual(Array(6).fill(null));
    const { data } = (await bob.ask(CALLS.listDomains)).ok;
    expect(data.map(({ hostname }) => hostname)).toEqual([
      '192.0.2.10',
      'xn--bcher-kva.example',
      'shop.example.com',
    ]);
  });

  it('stores tags and notes, cleaned and cut to their limits', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const tags = [
      ' Prod ',
      'prod',
      '',
      'a,b',
      'x'.repeat(60),
      ...Array.from({ length: 30 }, (_, at) => `t${at}`),
    ];
    const [result] = await imported(alice, [
      { host: 'shop.example.com', tags, notes: `\u0007 Renewed\tby\r\nhand. ${'x'.repeat(3_000)}` },
    ]);
    expect(result?.domain?.tags.slice(0, 4)).toEqual(['prod', 'a b', 'x'.repeat(40), 't0']);
    expect(result?.domain?.tags).toHaveLength(20);
    expect(result?.domain?.notes).toMatch(/^Renewed by \nhand\. x+$/);
    expect(result?.domain?.notes).toHaveLength(2_000);
    for (const query of [{ q: 'renewed' }, { q: 'a b' }, { tag: 't0' }] as Record<string, string>[])
      expect((await alice.ask(CALLS.listDomains, { query })).ok.total).toBe(1);
  });

  it('adds no more domains than the plan allows, even with concurrent imports', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const lines = (start: number) =>
      Array.from({ length: 5 }, (_, index) => ({ host: `host-${start + index}.example.com` }));
    const results = await Promise.all([0, 5, 10].map((start) => imported(alice, lines(start))));
    const problems = results.flat().map(({ problem }) => problem);
    expect(problems.filter((problem) => problem === null)).toHaveLength(3);
    expect(problems.filter((problem) => problem === 'limit_reached')).toHaveLength(12);
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(3);
    expect((await preview(alice, lines(0))).room).toBe(0);
  });

  it('accepts a hundred lines with long notes in any script, and no more', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const lines = Array.from({ length: 101 }, (_, index) => ({
      host: `host-${index}.example.com`,
      notes: '証'.repeat(2_000),
    }));
    expect((await ask(bob, lines)).problem.code).toBe('invalid_request');
    expect((await preview(bob, lines.slice(1))).entries).toHaveLength(100);
    const results = await imported(bob, lines.slice(1));
    expect(results.every(({ domain }) => domain?.notes.length === 2_000)).toBe(true);
    const tooLong = lines.map((line) => ({ ...line, notes: line.notes.repeat(2) }));
    expect((await ask(bob, tooLong)).problem).toMatchObject({
      status: 413,
      detail: 'Send less than 1024 kB.',
    });
    expect((await bob.ask(CALLS.addDomain, { body: { host: 'x'.repeat(70_000) } })).status).toBe(413);
  });

  it('is limited to 10,000 lines an hour per account, because each may trigger a check; previews still work', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const lines = Array.from({ length: 100 }, () => ({ host: 'no host' }));
    for (let call = 0; call < 100; call++) expect((await ask(alice, lines)).status).toBe(200);
    expect((await ask(alice, lines)).problem.code).toBe('too_many_requests');
    expect((await ask(charlie, lines)).status).toBe(200);
    expect((await preview(alice, lines)).entries).toHaveLength(100);
  });
});

import { describe, expect, it } from 'vitest';
import type { CaaProperty, DnsAnswer } from '../../server/core/forecast/evidence.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import type { DnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { promise } from '../security/promise.ts';

const never = new AbortController().signal;
const NOW = Date.UTC(2026, 11, 1);
const about = { aliases: [] as string[], security: 'insecure' } as const;
const records = <Found>(...found: Found[]): DnsAnswer<Found> => ({
  outcome: 'records',
  records: found,
  ...about,
});
const issue = (value: string): CaaProperty => ({ flags: 0, tag: 'issue', value });
const NO_DATA = { outcome: 'no_data', ...about } as const;
const NO_NAME = { outcome: 'no_name', ...about } as const;
const NOT_ASKED = { outcome: 'no_answer', why: 'not_asked' };
const SERVFAIL = { outcome: 'no_answer', why: 'servfail' } as const;

type Zone = Record<string, DnsAnswer<CaaProperty> | DnsAnswer<string>>;

/** Gathers evidence from a zone, whose keys are such as `CAA name`. A name that no key has does not exist. */
async function gather(
  zone: Zone,
  {
    names = ['www.example.com'],
    watchedHosts = [] as string[],
    allow = [] as string[],
    reach = 'public' as const,
  } = {},
) {
  const questions = new Set<string>();
  const exists = (name: string): boolean => Object.keys(zone).some((key) => key.endsWith(name));
  const reader = {
    query(name: string, type: string) {
      questions.add(`${type} ${name}`);
      return Promise.resolve(zone[`${type} ${name}`] ?? (exists(name) ? NO_DATA : NO_NAME));
    },
    validates: () => Promise.resolve(true),
  } as unknown as DnsReader;
  const policy = createAddressPolicy(allow, () => []);
  const resolver = createResolver({ servers: ['127.0.0.1:9'], policy, timeoutMs: 1 });
  const source = createForecastSource({ reader, resolver, policy, reach });
  const evidence = await source.gather({ names, watchedHosts, now: NOW, signal: never });
  // The reader answers an equal question from its cache.
  return { evidence, questions: [...questions] };
}

describe('The evidence for a forecast', () => {
  it('has the CAA answers from the name up to the first with records', async () => {
    const caa = records(issue('letsencrypt.org'));
    const { evidence } = await gather({ 'A www.example.com': records('8.8.8.8'), 'CAA example.com': caa });
    expect(evidence).toMatchObject({ at: NOW, unread: 0, http: [], resolverValidates: true });
    expect(evidence.names).toEqual([
      {
        name: 'www.example.com',
        caa: [
          { domain: 'www.example.com', answer: NO_DATA },
          { domain: 'example.com', answer: caa },
        ],
        zone: 'exists',
        ipv4: records('8.8.8.8'),
        ipv6: NOT_ASKED,
        challenge: NO_NAME,
        challengeZone: 'exists',
        persist: NO_NAME,
      },
    ]);
  });

  it('asks five questions about a name with an address, and no more about the wildcard below it', async () => {
    const zone: Zone = { 'A www.example.com': records('8.8.8.8') };
    const { questions } = await gather(zone, { names: ['www.example.com', '*.www.example.com'] });
    expect(questions.toSorted()).toEqual([
      'A www.example.com',
      'CAA example.com',
      'CAA www.example.com',
      'TXT _acme-challenge.www.example.com',
      'TXT _validation-persist.www.example.com',
    ]);
  });

  it('asks only for CAA records and an address of a name that does not exist', async () => {
    const { evidence, questions } = await gather(
      { 'CAA example.com': NO_DATA },
      { names: ['gone.example.com'] },
    );
    expect(questions).toEqual(['CAA gone.example.com', 'CAA example.com', 'A gone.example.com']);
    expect(evidence.names).toMatchObject([
      { zone: 'exists', ipv4: NO_NAME, ipv6: NO_NAME, challenge: NO_NAME, persist: NO_NAME },
    ]);
  });

  it('ignores a denial of the name from name servers that deny it only when asked for CAA, as some old ones do', async () => {
    const address = records('8.8.8.8');
    const zone: Zone = {
      'CAA www.example.com': NO_NAME,
      'CAA example.com': NO_NAME,
      'SOA example.com': records('ns.example.com'),
      'A www.example.com': address,
    };
    const { evidence } = await gather(zone);
    expect(evidence.names).toMatchObject([{ zone: 'exists', ipv4: address }]);
  });

  it('knows that the zone is gone if the registered domain does not exist', async () => {
    const { evidence } = await gather({}, { names: ['www.example.co.uk', 'example.co.uk'] });
    expect(evidence.names).toMatchObject([{ zone: 'gone' }, { zone: 'gone' }]);
  });

  it('asks for the challenge of a name whose alias leads to a name that does not exist', async () => {
    const dangling = {
      outcome: 'no_name',
      aliases: ['shop.host.test'],
      security: 'insecure',
    } satisfies DnsAnswer<string>;
    const { evidence, questions } = await gather({
      'CAA www.example.com': dangling,
      'A www.example.com': dangling,
      'CAA example.com': NO_DATA,
    });
    expect(questions).toContain('TXT _acme-challenge.www.example.com');
    expect(evidence.names).toMatchObject([{ zone: 'exists', ipv4: dangling, ipv6: dangling }]);
  });

  it('asks for the zone of a delegated challenge only if the target does not exist', async () => {
    const dangling = {
      outcome: 'no_name',
      aliases: ['x.auth.example.net'],
      security: 'insecure',
    } satisfies DnsAnswer<string>;
    const zone: Zone = {
      'A www.example.com': records('8.8.8.8'),
      'TXT _acme-challenge.www.example.com': dangling,
    };
    const gone = await gather(zone);
    expect(gone.questions).toContain('SOA example.net');
    expect(gone.evidence.names).toMatchObject([{ challenge: dangling, challengeZone: 'gone' }]);
    const there = await gather({ ...zone, 'NS example.net': records('ns.example.net') });
    expect(there.evidence.names).toMatchObject([{ challengeZone: 'exists' }]);
    const alive = { ...dangling, outcome: 'no_data' } as const;
    const { questions } = await gather({ ...zone, 'TXT _acme-challenge.www.example.com': alive });
    expect(questions).not.toContain('SOA example.net');
  });

  it('asks only for an address after a CAA question without an answer, and stops if there is none either', async () => {
    const { evidence, questions } = await gather({
      'CAA www.example.com': SERVFAIL,
      'A www.example.com': SERVFAIL,
    });
    expect(questions).toEqual(['CAA www.example.com', 'A www.example.com']);
    expect(evidence.names).toEqual([
      {
        name: 'www.example.com',
        caa: [{ domain: 'www.example.com', answer: SERVFAIL }],
        zone: 'not_known',
        ipv4: SERVFAIL,
        ipv6: SERVFAIL,
        challenge: SERVFAIL,
        challengeZone: 'exists',
        persist: SERVFAIL,
      },
    ]);
  });

  it('asks for IPv6 addresses of watched hosts and of names without IPv4', async () => {
    const zone: Zone = {
      'A a.example.com': records('10.0.0.1'),
      'AAAA b.example.com': records('2606:4700::1'),
      'A c.example.com': records('8.8.8.8'),
    };
    const names = ['a.example.com', 'b.example.com', 'c.example.com'];
    const { evidence } = await gather(zone, {
      names,
      watchedHosts: ['A.example.com'],
      allow: ['10.0.0.0/8'],
    });
    expect(evidence.names).toMatchObject([
      { ipv4: records('10.0.0.1'), ipv6: NO_DATA },
      { ipv4: NO_DATA, ipv6: records('2606:4700::1') },
      { ipv4: records('8.8.8.8'), ipv6: NOT_ASKED },
    ]);
    const unroutable = { outcome: 'no_connection', why: 'unroutable' };
    expect(evidence.http).toEqual([
      { host: 'a.example.com', results: [{ address: '10.0.0.1', result: unroutable }] },
    ]);
  });

  it('has the answers of at most four addresses of each family over HTTP', async () => {
    const many = (prefix: string) => Array.from({ length: 9 }, (_, index) => `${prefix}${index + 1}`);
    const zone: Zone = {
      'A www.example.com': records(...many('10.0.0.')),
      'AAAA www.example.com': records(...many('fd00::')),
    };
    const { evidence } = await gather(zone, {
      watchedHosts: ['www.example.com'],
      allow: ['10.0.0.0/8', 'fd00::/8'],
    });
    const asked = evidence.http[0]?.results.map(({ address }) => address);
    expect(asked).toEqual([...many('10.0.0.').slice(0, 4), ...many('fd00::').slice(0, 4)]);
  });

  it('never asks for IP addresses and local names', async () => {
    const names = ['10.0.0.1', '2606:4700::1', 'intranet', 'db.corp.internal', '*.local', 'metadata.goog'];
    const { evidence, questions } = await gather({}, { names, watchedHosts: names });
    expect(questions).toEqual([]);
    expect(evidence).toMatchObject({ names: [], unread: 0, http: [] });
    promise('egress');
  });

  it('leaves out addresses that the policy refuses, so that internal names are not shown', async () => {
    const { evidence } = await gather(
      {
        'A www.example.com': records('10.0.0.1', '8.8.8.8'),
        'AAAA www.example.com': records('fd00::1'),
      },
      { watchedHosts: [] },
    );
    expect(evidence.names).toMatchObject([{ ipv4: records('8.8.8.8') }]);
    const inside = await gather({ 'A www.example.com': records('10.0.0.1') });
    expect(inside.evidence.names).toMatchObject([{ ipv4: records() }]);
    expect(JSON.stringify(inside.evidence)).not.toContain('10.0.0.1');
  });

  it('has at most 100 names and says how many are left out', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `h${index}.example.com`);
    const { evidence, questions } = await gather({ 'CAA example.com': NO_DATA }, { names });
    expect(evidence.names).toHaveLength(100);
    expect(evidence.unread).toBe(30);
    // CAA and addresses of each name, and CAA of the domain above.
    expect(questions).toHaveLength(201);
  });
});

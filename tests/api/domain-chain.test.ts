import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Observation } from '../../server/core/observation.ts';
import { pruneHistory } from '../../server/store/checks/retention.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const root = mintAuthority({ commonName: 'Test Root' });
const issuing = root.intermediate({ commonName: 'Test Issuing' });
const leaf = issuing.issue({ dnsNames: ['shop.example.com'], notAfter: Date.now() + 20 * DAY_MS });
const later = issuing.issue({ dnsNames: ['shop.example.com'], notAfter: Date.now() + 80 * DAY_MS });

const add = async (person: Person) =>
  (await person.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data.id;
const chainOf = async (person: Person, id: string) =>
  (await person.ask(CALLS.domainChain, { params: { id } })).ok.data;

/** Two addresses, each of which answered with its own chain. */
const answeredTwice =
  (...chains: { der: Uint8Array }[][]) =>
  (monitor: Monitor): Observation => {
    const seen = answeredWith(leaf)(monitor);
    const addresses = seen.addresses.flatMap((one) =>
      chains.map((chain) => ({ ...one, presentedChain: chain.map(({ der }) => der) })),
    );
    return { ...seen, addresses };
  };

describeAnyDatabase('The chain of a domain', (open) => {
  it('comes from the IP address that sent the shown certificate, in the order in which it was sent', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await add(alice);
    expect(await chainOf(alice, id)).toEqual([]);
    await finishChecks(api, root, answeredTwice([later, root], [leaf, issuing, root]));
    const domain = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
    expect(domain.fingerprint).toBe(leaf.fingerprint);
    const chain = await chainOf(alice, id);
    expect(chain.map(({ role, subject, pem }) => [role, subject, pem])).toEqual([
      ['leaf', 'shop.example.com', leaf.certificatePem],
      ['intermediate', 'Test Issuing', issuing.certificatePem],
      ['root', 'Test Root', root.certificatePem],
    ]);
    expect(chain[0]).toMatchObject({
      fingerprint: leaf.fingerprint,
      subject_full_dn: 'CN=shop.example.com',
      issuer: 'Test Issuing',
      issuer_full_dn: 'CN=Test Issuing,O=Certlantern Tests',
      expiry_date: domain.expiry_date,
      public_key: 'ECDSA P-256',
      sans: ['shop.example.com'],
    });
    expect((await charlie.ask(CALLS.domainChain, { params: { id } })).problem.code).toBe('not_found');
  });

  it('is kept when a later check fails, and reduced to the leaf when the check that saw the chain is pruned', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await finishChecks(api, root, answeredTwice([leaf, issuing]));
    api.clock.advance(60_000);
    await alice.ask(CALLS.checkDomain, { params: { id } });
    await finishChecks(api, root, refusedByPolicy);
    expect(await chainOf(alice, id)).toHaveLength(2);
    await pruneHistory(api.store, api.clock.now() + 15 * DAY_MS);
    expect(await chainOf(alice, id)).toMatchObject([{ role: 'leaf', fingerprint: leaf.fingerprint }]);
  });
});

import { expect, it } from 'vitest';
import { MAX_AUTHORITIES } from '../../contract/authority.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const home = mintAuthority({ commonName: 'Home Root', organization: 'Home' });
const office = mintAuthority({ commonName: 'Office Root' });

const add = (person: Person, pem: string) => person.ask(CALLS.addAuthorities, { body: { pem } });
const listOf = async (person: Person) => (await person.ask(CALLS.listAuthorities)).ok.data;

describeAnyDatabase('The private authorities of an account', (open) => {
  it('are read from pasted PEM, several at once, and can be removed by their owner only', async () => {
    const { alice, charlie } = await (await startApi(open)).cast();
    expect(await listOf(alice)).toEqual([]);
    const added = (await add(alice, `# ours\n${home.certificatePem}${office.certificatePem}`)).ok.data;
    expect(added.map(({ subject }) => subject).toSorted()).toEqual(['Home Root', 'Office Root']);
    expect(added).toEqual(await listOf(alice));
    expect(added.find(({ subject }) => subject === 'Home Root')).toMatchObject({
      fingerprint: home.fingerprint,
      subject_full_dn: 'CN=Home Root,O=Home',
      expiry_date: expect.stringMatching(/^20/),
      added_at: expect.stringMatching(/^20/),
    });
    expect(await listOf(charlie)).toEqual([]);

    const [first] = added;
    const params = { id: first?.id ?? '' };
    expect((await charlie.ask(CALLS.removeAuthority, { params })).problem.code).toBe('not_found');
    expect((await alice.ask(CALLS.removeAuthority, { params })).ok.data).toBeNull();
    expect(await listOf(alice)).toHaveLength(1);
  });

  it('are rejected with a reason if the text has no CA certificate', async () => {
    const { alice } = await (await startApi(open)).cast();
    const leaf = home.issue({ dnsNames: ['shop.example'] });
    for (const [pem, sentence] of [
      ['hello', 'There is no certificate in this text.'],
      [leaf.certificatePem, 'The certificate of shop.example is not a certificate authority.'],
      [home.certificatePem.slice(0, -40), 'incomplete'],
    ] as const) {
      const { problem } = await add(alice, pem);
      expect(problem).toMatchObject({ code: 'invalid_certificate', status: 422 });
      expect(problem.detail).toContain(sentence);
    }
    expect(await listOf(alice)).toEqual([]);
  });

  it('are rejected if the text has a private key, which is not stored', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { keyPem } = home.issue({ dnsNames: ['shop.example'] });
    const { problem } = await add(alice, home.certificatePem + keyPem);
    expect(problem).toMatchObject({ code: 'invalid_certificate' });
    expect(problem.detail).toContain('private key');
    expect(await listOf(alice)).toEqual([]);
    const rows = await api.store.db.selectFrom('authorities').selectAll().execute();
    expect(rows).toEqual([]);
    promise('private-keys');
  });

  it('are limited to twenty', async () => {
    const { alice } = await (await startApi(open)).cast();
    const roots = Array.from({ length: MAX_AUTHORITIES + 1 }, () => mintAuthority().certificatePem);
    const { problem } = await add(alice, roots.join(''));
    expect(problem).toMatchObject({ code: 'too_many_authorities', status: 409 });
    expect((await add(alice, roots.slice(1).join(''))).ok.data).toHaveLength(MAX_AUTHORITIES);
  });
});

import { describe, expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { statusSlug } from '../../contract/pages.ts';
import { isReservedAddress, pageAddressSchema, type StatusPageChange } from '../../contract/status-page.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const SLUG = 'fjord-systems';
const save = (person: Person, body: StatusPageChange) => person.ask(CALLS.saveStatusPage, { body });

describeAnyDatabase('The address of a status page', (open) => {
  it('belongs to the first account that saves it, even while its page is off', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    await save(alice, { title: 'A', slug: SLUG });
    const check = async (person: Person, slug: string) =>
      (await person.ask(CALLS.pageAddress, { query: { slug } })).ok.data;
    expect(await check(alice, SLUG)).toEqual({ available: true, reason: null });
    expect((await check(bob, SLUG.toUpperCase())).reason).toMatch(/^This address is already taken/);
    expect((await save(bob, { title: 'B', slug: SLUG })).problem.code).toBe('address_taken');
    await save(alice, { slug: 'another-one' });
    expect((await save(bob, { title: 'B', slug: SLUG })).status).toBe(200);
  });

  it('goes to only one of two accounts that save it concurrently', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const answers = await Promise.all([alice, bob].map((person) => save(person, { title: 'T', slug: SLUG })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe('The schema of status page addresses', () => {
  it.each([3, 40])('accepts %d characters, and so does the route of the page', (length) => {
    const slug = 'a'.repeat(length);
    expect(pageAddressSchema.parse(slug)).toBe(slug);
    expect(statusSlug(`/status/${slug}`)).toBe(slug);
  });

  it.each([
    ['ab', /3 characters/],
    ['a'.repeat(41), /40 characters/],
    ['-abc', /letters, digits/],
    ['a--b', /letters, digits/],
    ['a.b', /letters, digits/],
    ['bücher', /letters, digits/],
    ['xn--bcher-kva', /letters, digits/],
    ['login', /reserved/],
    ['Certlantern', /reserved/],
  ])('rejects %s with a reason', (slug, reason) => {
    const parsed = pageAddressSchema.safeParse(slug);
    const message = parsed.success
      ? isReservedAddress(parsed.data) && 'reserved'
      : parsed.error.issues[0]?.message;
    expect(message).toMatch(reason);
  });
});

import { expect, it } from 'vitest';
import { spec } from '../tests/spec/spec.ts';
import { userSchema } from './account.ts';
import { CALLS } from './calls/calls.ts';
import { CHECK_FREQUENCIES, DEFAULT_CHECK_EVERY_MINUTES } from './words.ts';
import { domainSchema, historyEntrySchema } from './domain.ts';
import { productSchema } from './payment.ts';

const user = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };

it('a user has the specified fields and defaults', () => {
  expect(userSchema.parse(user)).toMatchObject(user);
  spec('3.02', 'A user has id, email, full name and photo');
  expect(userSchema.parse(user).paddle_id).toBe('');
  spec('3.03', 'The payment provider’s customer id is empty by default');
  expect(userSchema.parse(user).company_name).toBe('');
  spec('3.04', 'The company’s name is empty by default');
  expect(CALLS.refreshSession.response.parse({ data: user })).toEqual(
    CALLS.currentUser.response.parse({ data: user }),
  );
  spec('3.05', 'A session is read in the same way as a user');
});

it('a domain and its history have the specified fields and defaults', () => {
  const { shape } = domainSchema;
  for (const name of ['authority_name', 'authority_full_dn', 'authority_url'] as const) {
    expect(shape[name].parse('X')).toBe('X');
    expect(shape[name].parse(null)).toBeNull();
  }
  spec('3.10', 'A domain has its authority’s name, full distinguished name and URL');
  expect(shape.is_revoked.parse(true)).toBe(true);
  expect(shape.is_revoked.safeParse('true').success).toBe(false);
  spec('3.11', 'is_revoked is a boolean');
  expect(shape.check_every_minutes.parse(undefined)).toBe(1440);
  spec('3.12', 'Without a frequency a domain is checked every 1440 minutes');
  const entry = {
    id: 'c1',
    fingerprint: 'f',
    issuer: 'R1',
    subject: 'a.example',
    valid_from: '2026-11-01T00:00:00.000Z',
    expiry_date: '2027-01-30T00:00:00.000Z',
    authority_name: 'Orchard',
    authority_full_dn: 'CN=R1,O=Orchard',
    authority_url: null,
    first_seen_at: '2026-11-02T00:00:00.000Z',
    last_seen_at: '2026-11-03T00:00:00.000Z',
  };
  expect(historyEntrySchema.parse(entry)).toMatchObject(entry);
  spec('3.13', 'An entry of the history has subject, issuer, validity and authority');
  expect(historyEntrySchema.parse(entry).sans).toEqual([]);
  spec('3.14', 'The names of an entry are empty where none are sent');
});

it('a product rejects a price with a fraction, because prices are in minor units', () => {
  const product = { product_id: 'pro_1', price_id: 'pri_1', unit_price: 499, currency: 'USD' };
  expect(productSchema.parse(product)).toEqual(product);
  expect(productSchema.safeParse({ ...product, unit_price: 4.99 }).success).toBe(false);
});

it('Premium allows checks every 15 and 60 minutes; the default is every 1440 minutes', () => {
  const minutes = (premium: boolean) =>
    CHECK_FREQUENCIES.filter((one) => one.premium === premium).map((one) => one.minutes);
  expect(minutes(true)).toEqual(expect.arrayContaining([15, 60]));
  expect(minutes(false)).toEqual([1440]);
  expect(DEFAULT_CHECK_EVERY_MINUTES).toBe(1440);
  spec('9.03', 'Frequencies are 15, 60 and 1440 minutes, 1440 by default');
});

it('every API call is public or needs a session; no call needs a role', () => {
  expect(new Set(Object.values(CALLS).map(({ access }) => access))).toEqual(new Set(['public', 'session']));
  expect(Object.keys(userSchema.shape)).not.toContain('role');
  spec('6.09', 'There is no role of an administrator');
});

import { expect, it } from 'vitest';
import { unsubscribeWords } from './unsubscribe-words.ts';

const subject = {
  address: 'm•••@fjord.example',
  domain: 'pay.fjord.example',
  mail: 'alert',
  unsubscribed: 'no',
} as const;
const labels = (changed: Partial<Parameters<typeof unsubscribeWords>[0]>) =>
  unsubscribeWords({ ...subject, ...changed }).choices.map(({ label }) => label);

it('the unsubscribe page of an alert offers to stop emails about the domain or all alert emails', () => {
  expect(labels({})).toEqual(['Stop emails about pay.fjord.example', 'Stop all alert emails']);
  expect(labels({ domain: null })).toEqual(['Stop all alert emails']);
  // An alert's page does not mention that the digest was turned off.
  expect(labels({ unsubscribed: 'digest' })).toEqual([
    'Stop emails about pay.fjord.example',
    'Stop all alert emails',
  ]);
});

it('the unsubscribe page offers to resume emails after an unsubscription', () => {
  expect(labels({ unsubscribed: 'domain' })).toEqual(['Turn them back on', 'Stop all alert emails']);
  expect(labels({ unsubscribed: 'all' })).toEqual(['Turn them back on']);
});

it('the unsubscribe page of a digest offers to stop the digest, but not to resume the digest', () => {
  const digest = { mail: 'digest', domain: null } as const;
  expect(labels(digest)).toEqual(['Stop the weekly digest', 'Stop all alert emails']);
  expect(labels({ ...digest, unsubscribed: 'digest' })).toEqual(['Stop all alert emails']);
});

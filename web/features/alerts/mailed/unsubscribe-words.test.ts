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

it('offers to end mail of the domain first, and all of it next', () => {
  expect(labels({})).toEqual(['Stop mail about pay.fjord.example', 'Stop all alert mail']);
  expect(labels({ domain: null })).toEqual(['Stop all alert mail']);
  // Of an alert it says nothing that the digest has ended.
  expect(labels({ unsubscribed: 'digest' })).toEqual([
    'Stop mail about pay.fjord.example',
    'Stop all alert mail',
  ]);
});

it('offers the way back', () => {
  expect(labels({ unsubscribed: 'domain' })).toEqual(['Get it again', 'Stop all alert mail']);
  expect(labels({ unsubscribed: 'all' })).toEqual(['Get it again']);
});

it('ends a digest alone; another is begun on the page', () => {
  const digest = { mail: 'digest', domain: null } as const;
  expect(labels(digest)).toEqual(['Stop the weekly digest', 'Stop all alert mail']);
  expect(labels({ ...digest, unsubscribed: 'digest' })).toEqual(['Stop all alert mail']);
});

import { expect, it } from 'vitest';
import { endpointOf, pickDomain } from './domain-search.ts';

it.each([
  ['shop.example.com', 'shop.example.com:443'],
  [' Shop.Example.com. ', 'shop.example.com:443'],
  ['https://shop.example.com/basket?id=7', 'shop.example.com:443'],
  ['shop.example.com:8443', 'shop.example.com:8443'],
  ['bücher.example', 'xn--bcher-kva.example:443'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example:443'],
  ['[2001:DB8::1]:993', '2001:db8::1:993'],
  ['no name', null],
])('endpointOf finds in %j the endpoint %j', (typed, endpoint) => expect(endpointOf(typed)).toBe(endpoint));

const domain = (name: string, target = '', port = 443) => ({
  id: `${name}:${port}${target}`,
  name: `${port === 443 ? name : `${name}:${port}`}${target}`,
  endpoint: `${name}:${port}`,
  hasTarget: target !== '',
});
const first = domain('shop.example', ' via 10.0.0.7 (IPv4)');
const second = domain('shop.example', ' via 10.0.0.8');
const plain = domain('shop.example');
const lone = domain('mail.example', ' via [2001:db8::1]:25', 25);

it.each([
  ['shop.example via 10.0.0.8', second],
  [' Shop.example via 10.0.0.7 (IPv4) ', first],
  ['shop.example', plain],
  ['https://shop.example/basket', plain],
  ['mail.example:25', lone],
  ['mail.example:25 via [2001:db8::1]:25', lone],
  ['shop.example via 10.0.0.9', undefined],
  ['other.example', undefined],
])('pickDomain finds the domain that %j names', (typed, expected) =>
  expect(pickDomain(typed, [first, second, plain, lone])).toBe(expected),
);

it('pickDomain returns `several` if the host is watched at two servers', () => {
  expect(pickDomain('shop.example', [first, second])).toBe('several');
});

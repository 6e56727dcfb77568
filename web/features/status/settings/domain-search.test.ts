import { expect, it } from 'vitest';
import { endpointOf } from './domain-search.ts';

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

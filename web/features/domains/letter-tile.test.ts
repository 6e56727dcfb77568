import { expect, it } from 'vitest';
import { letterTile } from './letter-tile.ts';

it('takes the first letter or digit', () => {
  expect(letterTile('pay.fjord.example').letter).toBe('P');
  expect(letterTile('[2001:db8::1]').letter).toBe('2');
  expect(letterTile('żółw.example').letter).toBe('Ż');
  expect(letterTile('').letter).toBe('?');
});

it('gives the hosts of one domain one colour', () => {
  expect(letterTile('pay.fjord.example').colour).toBe(letterTile('api.fjord.example').colour);
});

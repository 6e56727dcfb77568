import { expect, test } from 'vitest';
import { NOTHING_SELECTED, withAll, withoutAll, withToggled } from './selection-state.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const select = (...ids: string[]) => ({ selected: new Set(ids), anchor: ids.at(-1) ?? null });

test('a click selects a row, and a second click deselects the row', () => {
  const one = withToggled(NOTHING_SELECTED, 'b', false, order);
  expect([...one.selected]).toEqual(['b']);
  expect([...withToggled(one, 'b', false, order).selected]).toEqual([]);
});

test('a range click adds the rows between the last click and this one, in either direction', () => {
  expect([...withToggled(select('e', 'b'), 'd', true, order).selected]).toEqual(['e', 'b', 'c', 'd']);
  expect([...withToggled(select('d'), 'b', true, order).selected].toSorted()).toEqual(['b', 'c', 'd']);
});

test('a range click on a selected row deselects the range', () => {
  const all = { selected: new Set(order), anchor: 'b' };
  expect([...withToggled(all, 'd', true, order).selected]).toEqual(['a', 'e']);
});

test('a range click selects one row if the row of the last click is unknown', () => {
  expect([...withToggled(NOTHING_SELECTED, 'c', true, order).selected]).toEqual(['c']);
  expect([...withToggled(select('gone'), 'c', true, order).selected]).toEqual(['gone', 'c']);
});

test('the selection can add all matches of a filter and drop the domains that are done', () => {
  const state = withAll(select('a'), ['b', 'x']);
  expect([...state.selected]).toEqual(['a', 'b', 'x']);
  expect(withoutAll(state, ['y'])).toBe(state);
  expect([...withoutAll(state, ['a', 'x']).selected]).toEqual(['b']);
  expect(withoutAll(state, state.selected)).toEqual(NOTHING_SELECTED);
});

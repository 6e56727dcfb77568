import { describe, expect, it } from 'vitest';
import { commandOf } from './key-map.ts';

const press = (key: string, repeat = false) => ({ key, repeat });
const onPage = { isOn: true, isRowFocused: false };
const onRow = { isOn: true, isRowFocused: true };

describe('a key of the dashboard', () => {
  it.each([
    ['/', { type: 'search' }],
    ['a', { type: 'add' }],
    ['r', { type: 'refresh' }],
    ['Backspace', { type: 'remove' }],
    ['Delete', { type: 'remove' }],
    ['v', { type: 'view' }],
    ['s', { type: 'sort' }],
    ['?', { type: 'help' }],
    ['1', { type: 'filter', place: 0 }],
    ['8', { type: 'filter', place: 7 }],
    ['j', { type: 'step', by: 1 }],
    ['k', { type: 'step', by: -1 }],
    ['Escape', { type: 'escape' }],
  ])('%s', (key, command) => {
    expect(commandOf(press(key), onPage)).toEqual(command);
  });

  it.each(['x', 'A', '9', '0', 'Enter', 'toString'])('ignores %s', (key) => {
    expect(commandOf(press(key), onPage)).toBeNull();
  });

  it('leaves arrow keys to the page unless a row has focus', () => {
    expect(commandOf(press('ArrowDown'), onPage)).toBeNull();
    expect(commandOf(press('ArrowDown'), onRow)).toEqual({ type: 'step', by: 1 });
    expect(commandOf(press('ArrowUp'), onRow)).toEqual({ type: 'step', by: -1 });
  });

  it('repeats only stepping while it is held', () => {
    expect(commandOf(press('j', true), onPage)).toEqual({ type: 'step', by: 1 });
    expect(commandOf(press('a', true), onPage)).toBeNull();
    expect(commandOf(press('Delete', true), onRow)).toBeNull();
  });

  it('does nothing if single keys are off, except Escape', () => {
    const off = { isOn: false, isRowFocused: true };
    for (const key of ['/', 'a', 'j', 'ArrowDown', 'Delete', '?', '1'])
      expect(commandOf(press(key), off)).toBeNull();
    expect(commandOf(press('Escape'), off)).toEqual({ type: 'escape' });
  });
});

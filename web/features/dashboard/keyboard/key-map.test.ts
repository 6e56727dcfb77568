import { describe, expect, it } from 'vitest';
import { commandOf, SHORTCUTS } from './key-map.ts';
import { listedShortcuts } from './shortcut-list.ts';

const press = (key: string, repeat = false) => ({ key, repeat });
const onPage = { isOn: true, isRowFocused: false };
const onRow = { isOn: true, isRowFocused: true };

describe('the keyboard of the dashboard', () => {
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
  ])('maps the key %s to the command %o', (key, command) => {
    expect(commandOf(press(key), onPage)).toEqual(command);
  });

  it.each(['x', 'A', '9', '0', 'Enter', 'toString'])('ignores the key %s', (key) => {
    expect(commandOf(press(key), onPage)).toBeNull();
  });

  it('leaves arrow keys to the page unless a row has focus', () => {
    expect(commandOf(press('ArrowDown'), onPage)).toBeNull();
    expect(commandOf(press('ArrowDown'), onRow)).toEqual({ type: 'step', by: 1 });
    expect(commandOf(press('ArrowUp'), onRow)).toEqual({ type: 'step', by: -1 });
  });

  it('repeats only the step keys while a key is held', () => {
    expect(commandOf(press('j', true), onPage)).toEqual({ type: 'step', by: 1 });
    expect(commandOf(press('a', true), onPage)).toBeNull();
    expect(commandOf(press('Delete', true), onRow)).toBeNull();
  });

  it('responds only to Escape if single-key shortcuts are off', () => {
    const off = { isOn: false, isRowFocused: true };
    for (const key of ['/', 'a', 'j', 'ArrowDown', 'Delete', '?', '1'])
      expect(commandOf(press(key), off)).toBeNull();
    expect(commandOf(press('Escape'), off)).toEqual({ type: 'escape' });
  });

  it('has a command for every key that the list of shortcuts shows', () => {
    for (const { keys, onRow = [], command } of SHORTCUTS)
      for (const key of [...keys, ...onRow])
        expect(commandOf(press(key), { isOn: true, isRowFocused: true })).toEqual(command);
    const lines = listedShortcuts('Ctrl+K').map(({ action, keys }) => `${action}: ${keys.join(' ')}`);
    expect(lines).toEqual([
      'Search: /',
      'Add Domain: a',
      'Next domain: j ↓',
      'Previous domain: k ↑',
      'Refresh: r',
      'Remove (asks): Backspace Del',
      'Grid or list: v',
      'Change sort: s',
      'Filters: 1 – 8',
      'Close panel, clear search: Esc',
      'This list: ?',
      'Show Details: ↵',
      'Filter by days: Shift+← Shift+→',
      'Notifications: Alt+T',
      'Commands: Ctrl+K',
    ]);
  });
});

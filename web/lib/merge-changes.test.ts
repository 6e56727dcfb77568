import { expect, it } from 'vitest';
import { mergeChanges, OverlapError, saveOnTop } from './merge-changes.ts';

it.each([
  ['what others added', ['a'], ['a', 'b'], ['a', 'c'], ['a', 'c', 'b']],
  ['what others removed', ['a', 'b'], ['a', 'b', 'c'], ['b'], ['b', 'c']],
  ['what others added while an item was removed', ['a', 'b'], ['b'], ['a', 'b', 'c'], ['b', 'c']],
  ['a move of an item', ['a', 'b'], ['b', 'a'], ['a', 'b', 'c'], ['b', 'a', 'c']],
  ['a move by others', ['a', 'b', 'c'], ['a', 'b'], ['c', 'b', 'a'], ['b', 'a']],
  ['the place of an added item', ['a', 'c'], ['a', 'b', 'c'], ['a', 'c'], ['a', 'b', 'c']],
  ['one item that both added', ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c']],
])('mergeChanges merges lists: keeps %s', (_, before, after, newest, merged) => {
  expect(mergeChanges({ list: before }, { list: after }, { list: newest })).toEqual({
    merged: { list: merged },
    overlaps: [],
  });
});

it('mergeChanges merges items with an id by their fields, and drops those that others removed', () => {
  const [a, b] = [
    { id: 'a', label: '' },
    { id: 'b', label: '' },
  ];
  const newest = { list: [{ ...a, label: 'theirs' }] };
  const after = [a, { ...b, label: 'mine' }];
  expect(mergeChanges({ list: [a, b] }, { list: after }, newest)).toEqual({ merged: newest, overlaps: [] });
});

it('mergeChanges keeps values that the page did not change, even in a record, and removes what the page removed', () => {
  const newest = { title: 'theirs', hours: { from: 2, to: 6 }, extra: 1, own: { gone: true, kept: true } };
  const { merged, overlaps } = mergeChanges<object>(
    { title: 'old', hours: { from: 1, to: 6 }, own: { gone: true } },
    { title: 'old', hours: { to: 7, from: 1 }, own: {} },
    newest,
  );
  expect(merged).toEqual({ title: 'theirs', hours: { from: 2, to: 7 }, extra: 1, own: { kept: true } });
  expect(overlaps).toEqual([]);
});

it('mergeChanges reports values that both sides changed, but not those that both changed alike', () => {
  const before = { title: 'old', same: 1, all: null, list: [{ id: 'a', label: '' }] };
  const after = { title: 'mine', same: 2, all: ['x'], list: [{ id: 'a', label: 'mine' }] };
  const newest = { title: 'theirs', same: 2, all: ['y'], list: [{ id: 'a', label: 'theirs' }] };
  expect(mergeChanges<object>(before, after, newest)).toEqual({
    merged: after,
    overlaps: [
      { path: 'title', saved: 'theirs' },
      { path: 'all', saved: ['y'] },
      { path: 'list a label', saved: 'theirs' },
    ],
  });
});

it('saveOnTop throws and writes nothing where another tab saved a different value, and shows the newest values', async () => {
  const [written, shown]: [object[], object[]] = [[], []];
  const save = (newest: { title: string; tags: string[] }) =>
    saveOnTop(
      { lock: 'test', before: { title: 'old' }, after: { title: 'mine' } },
      {
        read: () => Promise.resolve(newest),
        valuesOf: (read) => read,
        write: (merged) => Promise.resolve(written.push(merged)),
        show: (read) => shown.push(read),
      },
    );
  await save({ title: 'old', tags: ['theirs'] });
  expect(written).toEqual([{ title: 'mine', tags: ['theirs'] }]);
  await expect(save({ title: 'theirs', tags: [] })).rejects.toBeInstanceOf(OverlapError);
  expect(shown).toEqual([{ title: 'theirs', tags: [] }]);
  expect(written).toHaveLength(1);
});

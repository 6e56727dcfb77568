/** Which domains are selected, by their ids: in view or not, loaded or not. */
export interface SelectionState {
  readonly selected: ReadonlySet<string>;
  /** Where a range begins: the one that was selected or deselected last. */
  readonly anchor: string | null;
}

export const NOTHING_SELECTED: SelectionState = { selected: new Set(), anchor: null };

/**
 * The selection after a press on the box of `id`. With `range`, all from the anchor to `id` become what `id` becomes, in
 * the `order` of the rows; without a known anchor it is `id` alone.
 */
export function toggled(
  { selected, anchor }: SelectionState,
  id: string,
  range: boolean,
  order: readonly string[],
): SelectionState {
  const isWanted = !selected.has(id);
  const next = new Set(selected);
  for (const each of range ? between(order, anchor, id) : [id]) {
    if (isWanted) next.add(each);
    else next.delete(each);
  }
  return { selected: next, anchor: id };
}

function between(order: readonly string[], anchor: string | null, id: string): readonly string[] {
  const from = anchor === null ? -1 : order.indexOf(anchor);
  const to = order.indexOf(id);
  if (from < 0 || to < 0) return [id];
  return order.slice(Math.min(from, to), Math.max(from, to) + 1);
}

export function withAll({ selected, anchor }: SelectionState, ids: Iterable<string>): SelectionState {
  return { selected: new Set([...selected, ...ids]), anchor };
}

/** The selection without what is done with, or is no more; the same object where nothing of it was selected. */
export function withoutAll(state: SelectionState, ids: Iterable<string>): SelectionState {
  const gone = [...ids].filter((id) => state.selected.has(id));
  // Events tell of every domain that is removed, and most were never selected.
  if (gone.length === 0) return state;
  const next = new Set(state.selected);
  for (const id of gone) next.delete(id);
  return { selected: next, anchor: next.size === 0 ? null : state.anchor };
}

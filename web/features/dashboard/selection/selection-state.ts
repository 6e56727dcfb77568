/** The selected ids, whether visible and loaded or not. */
export interface SelectionState {
  readonly selected: ReadonlySet<string>;
  /** Start of a range: the domain that was toggled last. */
  readonly anchor: string | null;
}

export const NOTHING_SELECTED: SelectionState = { selected: new Set(), anchor: null };

/**
 * Returns the selection after a click on the checkbox of `id`. With `range`, every row from the anchor to `id`, in the order
 * of `order`, gets the new state of `id`. If the anchor is not in `order`, only `id` changes.
 */
export function withToggled(
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

/** Returns the selection without the ids; the same object if none was selected. */
export function withoutAll(state: SelectionState, ids: Iterable<string>): SelectionState {
  const gone = [...ids].filter((id) => state.selected.has(id));
  // Removal events come for every removed domain; most of them are not selected.
  if (gone.length === 0) return state;
  const next = new Set(state.selected);
  for (const id of gone) next.delete(id);
  return { selected: next, anchor: next.size === 0 ? null : state.anchor };
}

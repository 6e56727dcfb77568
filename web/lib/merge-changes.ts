/** A value that this page changed while another tab or device saved a different one. */
export interface Overlap {
  /** Keys and ids that lead to the value, from the outermost in, such as `domains 5f6a label`. */
  path: string;
  saved: unknown;
}

/** Thrown if another tab or device has saved a different value in the meantime. Nothing was written. */
export class OverlapError extends Error {
  override readonly name = 'OverlapError';
  readonly overlaps: readonly Overlap[];

  constructor(overlaps: readonly Overlap[]) {
    super('Another tab or device changed this meanwhile. Look at it, then choose again.');
    this.overlaps = overlaps;
  }
}

/** Returns the error to show at a field for which another tab or device has saved a different text. */
export const savedMeanwhileText = ({ saved }: Overlap): string =>
  `Another tab or device saved “${String(saved)}” meanwhile. Save again to replace it.`;

/** Returns the fields of `values` that `named` also has. */
export function pickFields<Values extends object>(named: Partial<Values>, values: Values): Partial<Values> {
  const fields = Object.fromEntries(Object.entries(values).filter(([field]) => field in named));
  return fields as Partial<Values>;
}

/**
 * Applies to `newest` the changes that lead from `before` to `after`. Lists are merged item by item; items are strings or
 * have an `id`. `overlaps` lists the values that `newest` has changed too; `merged` then has the value of `after`.
 */
export function mergeChanges<Values extends object>(
  before: Partial<Values>,
  after: Partial<Values>,
  newest: Values,
): { merged: Values; overlaps: Overlap[] } {
  const overlaps: Overlap[] = [];
  const merged = mergeRecords(toRecord(before), toRecord(after), toRecord(newest), { path: '', overlaps });
  return { merged: merged as Values, overlaps };
}

/**
 * Reads the newest values, applies to them the changes from `before` to `after`, and writes the result. Only one tab of this browser
 * does so at a time. If the newest values differ in a place that the page has changed too, shows them and throws OverlapError.
 */
export function saveOnTop<Newest, Values extends object, Result>(
  { lock, before, after }: { lock: string; before: Partial<Values>; after: Partial<Values> },
  steps: {
    read: () => Promise<Newest>;
    valuesOf: (newest: Newest) => Values;
    /** Writes the merged values. Returns null, without writing, if others have changed something on which the change depends. */
    write: (merged: Values, newest: Newest) => Promise<Result> | null;
    show: (newest: Newest) => void;
  },
): Promise<Result> {
  return inOneTab(`certlantern-${lock}`, async () => {
    const newest = await steps.read();
    const { merged, overlaps } = mergeChanges(before, after, steps.valuesOf(newest));
    const writing = overlaps.length === 0 ? steps.write(merged, newest) : null;
    if (writing !== null) return writing;
    steps.show(newest);
    throw new OverlapError(overlaps);
  });
}

/** Runs `work` in one tab of this browser at a time. Web Locks need a secure context: on plain HTTP, tabs do not wait for each other. */
async function inOneTab<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return work();
  return await navigator.locks.request(lock, work);
}

type Values = Record<string, unknown>;
interface Place {
  path: string;
  overlaps: Overlap[];
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toRecord = (value: object): Values => Object.fromEntries(Object.entries(value));

function merge(before: unknown, after: unknown, newest: unknown, place: Place): unknown {
  if (isRecord(before) && isRecord(after) && isRecord(newest))
    return mergeRecords(toRecord(before), toRecord(after), toRecord(newest), place);
  if (isSame(before, newest) || isSame(after, newest)) return after;
  if (isSame(before, after)) return newest;
  if (Array.isArray(before) && Array.isArray(after) && Array.isArray(newest))
    return mergeLists(before, after, newest, place);
  place.overlaps.push({ path: place.path, saved: newest });
  return after;
}

function mergeRecords(before: Values, after: Values, newest: Values, place: Place): Values {
  const merged = { ...newest };
  for (const key of Object.keys({ ...before, ...after })) {
    merged[key] = merge(before[key], after[key], newest[key], inside(place, key));
    if (merged[key] === undefined) delete merged[key];
  }
  return merged;
}

/** Keeps the order of `newest`, unless the page has moved an item. Items that others have removed stay removed. */
function mergeLists(before: unknown[], after: unknown[], newest: unknown[], place: Place): unknown[] {
  const [had, mine, theirs] = [byId(before), byId(after), byId(newest)];
  const remaining = [...had.keys()].filter((id) => mine.has(id));
  const isMoved = !isSame(
    remaining,
    [...mine.keys()].filter((id) => had.has(id)),
  );
  const own = [...mine.keys()].filter((id) => theirs.has(id) || !had.has(id));
  const others = [...theirs.keys()].filter((id) => mine.has(id) || !had.has(id));
  return [...new Set(isMoved ? [...own, ...others] : [...others, ...own])].map((id) =>
    had.has(id)
      ? merge(had.get(id), mine.get(id), theirs.get(id), inside(place, id))
      : (mine.get(id) ?? theirs.get(id)),
  );
}

const inside = ({ path, overlaps }: Place, key: string): Place => ({
  path: `${path} ${key}`.trimStart(),
  overlaps,
});

const byId = (list: unknown[]): Map<string, unknown> =>
  new Map(list.map((item) => [String(isRecord(item) && 'id' in item ? item.id : item), item]));

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const [first, second] = [toRecord(one), toRecord(other)];
  return Object.keys({ ...first, ...second }).every((key) => isSame(first[key], second[key]));
}

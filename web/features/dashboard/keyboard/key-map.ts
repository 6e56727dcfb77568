/** Commands of the dashboard's keys. */
export type KeyCommand =
  | { type: 'search' | 'add' | 'refresh' | 'remove' | 'view' | 'sort' | 'help' | 'escape' }
  | { type: 'step'; by: 1 | -1 }
  | { type: 'filter'; place: number };

export interface KeyPress {
  key: string;
  repeat: boolean;
}

export interface KeySituation {
  /** Single-key shortcuts are on. */
  isOn: boolean;
  /** A row has focus: arrow keys then move between rows instead of scrolling. */
  isRowFocused: boolean;
}

const SINGLE = new Map<string, KeyCommand>([
  ['/', { type: 'search' }],
  ['a', { type: 'add' }],
  ['r', { type: 'refresh' }],
  ['Backspace', { type: 'remove' }],
  ['Delete', { type: 'remove' }],
  ['v', { type: 'view' }],
  ['s', { type: 'sort' }],
  ['?', { type: 'help' }],
]);
const STEPS = new Map<string, 1 | -1>([
  ['j', 1],
  ['k', -1],
]);
const ARROWS = new Map<string, 1 | -1>([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

/** Returns the command for a key pressed outside of inputs and without Ctrl, Alt or Meta; null if none. */
export function commandOf(
  { key, repeat }: KeyPress,
  { isOn, isRowFocused }: KeySituation,
): KeyCommand | null {
  if (key === 'Escape') return { type: 'escape' };
  if (!isOn) return null;
  const by = STEPS.get(key) ?? (isRowFocused ? ARROWS.get(key) : undefined);
  if (by !== undefined) return { type: 'step', by };
  if (repeat) return null;
  if (/^[1-8]$/.test(key)) return { type: 'filter', place: Number(key) - 1 };
  return SINGLE.get(key) ?? null;
}

/** The shortcuts for the dialog; alternatives are separated by a space. */
export const KEY_LIST: readonly { keys: string; action: string }[] = [
  { keys: '/', action: 'Search' },
  { keys: 'a', action: 'Add Domain' },
  { keys: 'j ↓', action: 'Next domain' },
  { keys: 'k ↑', action: 'Previous domain' },
  { keys: '↵', action: 'Show Details' },
  { keys: 'r', action: 'Refresh' },
  { keys: 'Backspace Del', action: 'Remove (asks)' },
  { keys: 'v', action: 'Grid or list' },
  { keys: 's', action: 'Change sort' },
  { keys: '1 – 8', action: 'Filters' },
  { keys: 'Shift+← Shift+→', action: 'Filter by days' },
  { keys: 'Esc', action: 'Close panel, clear search' },
  { keys: 'Alt+T', action: 'Notifications' },
  { keys: '?', action: 'This list' },
];

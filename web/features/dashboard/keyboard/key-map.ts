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
  /** Whether single-key shortcuts are on. */
  isOn: boolean;
  /** Whether a row has focus. Arrow keys then move between rows instead of scrolling. */
  isRowFocused: boolean;
}

interface Shortcut {
  /** Values of `KeyboardEvent.key`. */
  keys: readonly string[];
  command: KeyCommand;
  /** The keys that only work while a row has focus. */
  onRow?: readonly string[];
  /** Set if the command also runs repeatedly while the key is held. */
  repeats?: true;
  /** Set if the key works even if single-key shortcuts are off. */
  isAlwaysOn?: true;
}

const FILTERS = 8;

/** Keys of the dashboard, in the order in which the list of shortcuts shows them. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['/'], command: { type: 'search' } },
  { keys: ['a'], command: { type: 'add' } },
  { keys: ['j'], onRow: ['ArrowDown'], command: { type: 'step', by: 1 }, repeats: true },
  { keys: ['k'], onRow: ['ArrowUp'], command: { type: 'step', by: -1 }, repeats: true },
  { keys: ['r'], command: { type: 'refresh' } },
  { keys: ['Backspace', 'Delete'], command: { type: 'remove' } },
  { keys: ['v'], command: { type: 'view' } },
  { keys: ['s'], command: { type: 'sort' } },
  ...Array.from({ length: FILTERS }, (_, place): Shortcut => ({
    keys: [`${place + 1}`],
    command: { type: 'filter', place },
  })),
  { keys: ['Escape'], command: { type: 'escape' }, isAlwaysOn: true },
  { keys: ['?'], command: { type: 'help' } },
];

/** Returns the command for a key pressed outside of inputs and without Ctrl, Alt or Meta; null if the key has no command. */
export function commandOf(
  { key, repeat }: KeyPress,
  { isOn, isRowFocused }: KeySituation,
): KeyCommand | null {
  const found = SHORTCUTS.find(
    ({ keys, onRow = [] }) => keys.includes(key) || (isRowFocused && onRow.includes(key)),
  );
  if (!found || (!isOn && !found.isAlwaysOn) || (repeat && !found.repeats && !found.isAlwaysOn)) return null;
  return found.command;
}

import { type KeyCommand, SHORTCUTS } from './key-map.ts';

/** A line in the list of shortcuts. */
export interface ListedShortcut {
  action: string;
  /** Alternative keys, with the names printed on them. A range has '–' between its first and last key. */
  keys: string[];
}

const ACTIONS: Record<Exclude<KeyCommand['type'], 'step'>, string> = {
  search: 'Search',
  add: 'Add Domain',
  refresh: 'Refresh',
  remove: 'Remove (asks)',
  view: 'Grid or list',
  sort: 'Change sort',
  filter: 'Filters',
  escape: 'Close panel, clear search',
  help: 'This list',
};

const PRINTED: Record<string, string> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Delete: 'Del',
  Escape: 'Esc',
};

/** Keys that other code handles: the browser, the timeline, the toasts and the header. */
const ELSEWHERE: readonly ListedShortcut[] = [
  { action: 'Show Details', keys: ['↵'] },
  { action: 'Filter by days', keys: ['Shift+←', 'Shift+→'] },
  { action: 'Notifications', keys: ['Alt+T'] },
];

/** Returns the shortcuts of the key map and of other parts of the page. `paletteKey` opens the palette. */
export function listedShortcuts(paletteKey: string): ListedShortcut[] {
  const lines = Map.groupBy(SHORTCUTS, ({ command }) => actionOf(command));
  return [
    ...[...lines].map(([action, shortcuts]) => ({
      action,
      keys: inRange(
        shortcuts.flatMap(({ keys, onRow = [] }) => [...keys, ...onRow].map((key) => PRINTED[key] ?? key)),
      ),
    })),
    ...ELSEWHERE,
    { action: 'Commands', keys: [paletteKey] },
  ];
}

function actionOf(command: KeyCommand): string {
  if (command.type === 'step') return command.by === 1 ? 'Next domain' : 'Previous domain';
  return ACTIONS[command.type];
}

/** If there are more than three keys, returns only the first and the last one, with '–' between them. */
function inRange(keys: string[]): string[] {
  const [first, last] = [keys[0], keys.at(-1)];
  return keys.length > 3 && first !== undefined && last !== undefined ? [first, '–', last] : keys;
}

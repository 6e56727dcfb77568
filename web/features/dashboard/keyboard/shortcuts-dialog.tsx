import { singleKeyShortcuts } from '../../../lib/browser/preference.ts';
import { Dialog, type OpenState } from '../../../ui/dialog.tsx';
import { CheckboxLine } from '../../../ui/form/checkbox-line.tsx';
import { IS_MAC } from '../../../ui/menu.tsx';
import { listedShortcuts } from './shortcut-list.ts';

/** Lists the shortcuts, with the switch for single keys. */
export function ShortcutsDialog({ open, onOpenChange }: OpenState) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" hasCross>
      <dl className="mt-4 grid grid-cols-1 gap-x-8 md:grid-cols-2">
        {listedShortcuts(IS_MAC ? '⌘K' : 'Ctrl+K').map(({ keys, action }) => (
          <div
            key={action}
            className="flex min-h-9 items-center justify-between gap-3 border-b border-line py-1"
          >
            <dt className="text-body text-fg-2">{action}</dt>
            <dd className="flex flex-none gap-1.5">
              {keys.map((key) =>
                key === '–' ? (
                  <span key={key} className="text-fg-3">
                    –
                  </span>
                ) : (
                  <kbd
                    key={key}
                    className="min-w-6 rounded-1 border border-line-2 bg-sunken px-1.5 text-center font-mono text-small/5 text-fg-2"
                  >
                    {key}
                  </kbd>
                ),
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4">
        <CheckboxLine
          label={<span className="font-medium">Single-key shortcuts</span>}
          note="When off, Esc, Enter and combinations with Shift, Alt, Ctrl or ⌘ still work. Single keys never act while you type."
          checked={singleKeyShortcuts.use() === 'on'}
          onChange={(isOn) => singleKeyShortcuts.set(isOn ? 'on' : 'off')}
        />
      </div>
    </Dialog>
  );
}

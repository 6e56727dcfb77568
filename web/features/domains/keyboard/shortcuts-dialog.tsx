import { useId } from 'react';
import { singleKeys } from '../../../lib/shortcuts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { KEY_LIST } from './key-map.ts';

interface ShortcutsDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Which keys there are, and the switch for those that are a single letter. */
export function ShortcutsDialog({ open, onOpenChange }: ShortcutsDialogProps) {
  const isOn = singleKeys.use() === 'on';
  const hintId = useId();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" hasCross>
      <dl className="mt-4 grid grid-cols-1 gap-x-8 md:grid-cols-2">
        {KEY_LIST.map(({ keys, action }) => (
          <div key={keys} className="flex min-h-9 items-center justify-between gap-3 border-b border-line">
            <dt className="text-body text-fg-2">{action}</dt>
            <dd className="flex gap-1.5">
              {keys.split(' ').map((key) =>
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
      <label className="mt-5 flex min-h-11 items-center gap-3 md:min-h-0">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={hintId}
          onChange={(event) => singleKeys.set(event.target.checked ? 'on' : 'off')}
          className="size-4 flex-none accent-[var(--primary)]"
        />
        <span className="font-medium">Single-key shortcuts</span>
      </label>
      <p id={hintId} className="mt-1 ml-7 text-label text-fg-3">
        Switched off, only Esc and Alt+T do something. Single keys never act while you type.
      </p>
    </Dialog>
  );
}

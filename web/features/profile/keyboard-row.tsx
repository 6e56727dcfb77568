import { singleKeys } from '../../lib/shortcuts.ts';
import { Row } from '../../ui/row.tsx';

/** Switches the keys off that do something without Ctrl or Alt. */
export function KeyboardRow() {
  const choice = singleKeys.use();
  return (
    <Row title="Keyboard" description="Stored on this device. Press ? on the dashboard for the list.">
      <label className="flex min-h-11 w-fit items-center gap-2.5 text-body md:-mt-2 md:min-h-9">
        <input
          type="checkbox"
          className="size-4.5 accent-primary"
          checked={choice === 'on'}
          onChange={(event) => singleKeys.set(event.target.checked ? 'on' : 'off')}
        />
        Single-key shortcuts
      </label>
    </Row>
  );
}

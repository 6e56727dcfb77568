import { useId } from 'react';
import type { ReactNode } from 'react';
import { Checkbox } from './checkbox.tsx';

interface CheckboxLineProps {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  label: ReactNode;
  /** The small line below. */
  note?: string;
  disabled?: boolean;
}

/** A box with its words, all of which can be pressed. */
export function CheckboxLine({ checked, onChange, label, note, disabled = false }: CheckboxLineProps) {
  const id = useId();
  return (
    <div className="flex items-start">
      <span className="flex min-h-11 flex-none items-center md:min-h-8">
        <Checkbox
          id={id}
          checked={checked}
          disabled={disabled}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          onChange={(event) => onChange(event.target.checked)}
        />
      </span>
      <label htmlFor={id} className="min-w-0 cursor-pointer py-3 pl-2.5 md:py-1.5">
        <span className="flex items-center gap-2 text-body">{label}</span>
        {note !== undefined && (
          <span id={`${id}-note`} className="block text-meta text-fg-3">
            {note}
          </span>
        )}
      </label>
    </div>
  );
}

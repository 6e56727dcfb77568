import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { FieldError, inputClass } from './field.tsx';
import { clockText, DAY_MINUTES, minuteOfDay } from './time-of-day.ts';

interface TimeFieldProps {
  label: string;
  /** Name of the field in its form. While the user types, the form gets the text as typed. */
  name?: string;
  /** Minutes after midnight. */
  minute: number;
  /** Called when the person leaves the field or presses Enter. */
  onChange: (minute: number) => void;
  /** Id of the element with an error about this field and others. */
  errorId?: string | undefined;
}

/**
 * Edits a time of day as text in the 24-hour form; it also accepts '7', '0700' and '7:00 pm'. The up and down keys change the hour.
 * If the cursor is behind the colon, they change the minutes in steps of five.
 */
export function TimeField({ label, name, minute, onChange, errorId }: TimeFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const cursor = useRef<number>(null);
  /** Text that is typed but not yet passed to `onChange`. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isLeft, setLeft] = useState(false);
  const text = typed ?? clockText(minute);
  const read = minuteOfDay(text);
  const isWrong = isLeft && read === null;
  const isInvalid = isWrong || errorId !== undefined;
  useLayoutEffect(() => {
    if (cursor.current !== null) input.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });

  const settle = () => {
    setLeft(true);
    if (read === null) return;
    setTyped(null);
    if (read !== minute) onChange(read);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') settle();
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (sign === undefined || read === null) return;
    event.preventDefault();
    const place = event.currentTarget.selectionStart ?? 0;
    const isMinutes = place > clockText(read).indexOf(':');
    cursor.current = isMinutes ? 5 : 2;
    setTyped(clockText((read + sign * (isMinutes ? 5 : 60) + DAY_MINUTES) % DAY_MINUTES));
  };
  return (
    <div className="max-w-44">
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        name={name}
        role="spinbutton"
        aria-valuemin={0}
        aria-valuemax={DAY_MINUTES - 1}
        aria-valuenow={read ?? undefined}
        aria-valuetext={text}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isWrong ? `${id}-error` : errorId}
        className={`${inputClass(isInvalid)} num w-24!`}
        onChange={(event) => {
          setLeft(false);
          setTyped(event.target.value);
        }}
        onBlur={settle}
        onKeyDown={onKeyDown}
      />
      {isWrong && <FieldError id={`${id}-error`}>Enter a time such as 07:00</FieldError>}
    </div>
  );
}

import { useId } from 'react';
import type { AlertSettingsWire } from '../../../contract/alerting.ts';
import { CheckboxLine } from '../checkbox-line.tsx';
import { FieldError, inputClass } from '../field.tsx';

type QuietHours = NonNullable<AlertSettingsWire['quiet_hours']>;

/** From ten in the evening to seven in the morning, with critical alerts. */
const USUAL: QuietHours = { from_minute: 22 * 60, to_minute: 7 * 60, critical_always: true };

export interface QuietHoursFieldsProps {
  value: QuietHours | null;
  onChange: (quietHours: QuietHours | null) => void;
  /** Of the account; null: UTC. */
  timeZone: string | null;
}

/** Whether there are hours in which nobody is written to, and which. */
export function QuietHoursFields({ value, onChange, timeZone }: QuietHoursFieldsProps) {
  const id = useId();
  const isNone = value !== null && value.from_minute === value.to_minute;
  return (
    <div className="grid gap-3">
      <CheckboxLine
        checked={value !== null}
        onChange={(isWanted) => onChange(isWanted ? USUAL : null)}
        label="Send nothing at night"
      />
      {value && (
        <div className="grid gap-2 pl-7">
          <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
            <TimeOfDay
              label="From"
              minute={value.from_minute}
              isInvalid={isNone}
              describedBy={isNone ? `${id}-error` : undefined}
              onChange={(from_minute) => onChange({ ...value, from_minute })}
            />
            <TimeOfDay
              label="To"
              minute={value.to_minute}
              isInvalid={isNone}
              describedBy={isNone ? `${id}-error` : undefined}
              onChange={(to_minute) => onChange({ ...value, to_minute })}
            />
            <span className="pb-2.5 text-label text-fg-2">{(timeZone ?? 'UTC').replaceAll('_', ' ')}</span>
          </div>
          {isNone && <FieldError id={`${id}-error`}>Quiet hours need a beginning and an end</FieldError>}
          <CheckboxLine
            checked={value.critical_always}
            onChange={(critical_always) => onChange({ ...value, critical_always })}
            label="Critical alerts always"
          />
          <p className="text-meta text-fg-3">What falls into these hours is sent at their end.</p>
        </div>
      )}
    </div>
  );
}

interface TimeOfDayProps {
  label: string;
  /** After midnight. */
  minute: number;
  isInvalid: boolean;
  describedBy: string | undefined;
  onChange: (minute: number) => void;
}

function TimeOfDay({ label, minute, isInvalid, describedBy, onChange }: TimeOfDayProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-label font-medium">
        {label}
      </label>
      <input
        id={id}
        type="time"
        value={clockOf(minute)}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        className={`${inputClass(isInvalid)} num w-32!`}
        onChange={(event) => {
          const [hours, minutes] = event.target.value.split(':').map(Number);
          // Half typed, there is none.
          if (hours !== undefined && minutes !== undefined && !Number.isNaN(hours + minutes))
            onChange(hours * 60 + minutes);
        }}
      />
    </div>
  );
}

function clockOf(minute: number): string {
  const two = (figure: number) => String(figure).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

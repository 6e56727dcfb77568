import { useId } from 'react';
import type { AlertSettingsWire } from '../../../contract/alerting.ts';
import { CheckboxLine } from '../form/checkbox-line.tsx';
import { FieldError } from '../form/field.tsx';
import { TimeField } from '../form/time-field.tsx';

type QuietHours = NonNullable<AlertSettingsWire['quiet_hours']>;

/** Initial quiet hours: 22:00 to 7:00; critical alerts are sent nevertheless. */
const USUAL: QuietHours = { from_minute: 22 * 60, to_minute: 7 * 60, critical_always: true };

/** Tells whether both times are the same. The server refuses that. */
export const haveSameTimes = (value: QuietHours | null): boolean =>
  value !== null && value.from_minute === value.to_minute;

export interface QuietHoursFieldsProps {
  value: QuietHours | null;
  onChange: (quietHours: QuietHours | null) => void;
  /** The account's time zone; null: UTC. */
  timeZone: string | null;
}

/** Switches quiet hours on and sets them. */
export function QuietHoursFields({ value, onChange, timeZone }: QuietHoursFieldsProps) {
  const id = useId();
  const isEmptyRange = haveSameTimes(value);
  return (
    <div className="grid gap-3">
      <CheckboxLine
        checked={value !== null}
        onChange={(isWanted) => onChange(isWanted ? USUAL : null)}
        label="Hold alerts at night"
      />
      {value && (
        <div className="grid gap-2 pl-7">
          <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
            <TimeField
              label="From"
              minute={value.from_minute}
              errorId={isEmptyRange ? `${id}-error` : undefined}
              onChange={(from_minute) => onChange({ ...value, from_minute })}
            />
            <TimeField
              label="To"
              minute={value.to_minute}
              errorId={isEmptyRange ? `${id}-error` : undefined}
              onChange={(to_minute) => onChange({ ...value, to_minute })}
            />
            <span className="self-end pb-2.5 text-label text-fg-2">
              {(timeZone ?? 'UTC').replaceAll('_', ' ')}
            </span>
          </div>
          {isEmptyRange && (
            <FieldError id={`${id}-error`}>
              Choose different times for the start and end of quiet hours
            </FieldError>
          )}
          <CheckboxLine
            checked={value.critical_always}
            onChange={(critical_always) => onChange({ ...value, critical_always })}
            label="Always send critical alerts"
          />
          <p className="text-meta text-fg-3">Held alerts go out when quiet hours end.</p>
        </div>
      )}
    </div>
  );
}

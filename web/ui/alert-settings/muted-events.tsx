import type { AlertSettingsWire } from '../../../contract/alerting.ts';
import { CheckboxLine } from '../checkbox-line.tsx';

type MutedEvent = AlertSettingsWire['muted'][number];

const EVENTS: { name: MutedEvent; label: string; note: string }[] = [
  {
    name: 'uptime',
    label: 'Down and up',
    note: 'Two looks half a minute apart agree before you hear of it.',
  },
  { name: 'changed', label: 'Unexpected changes', note: 'A new certificate long before it was due.' },
  {
    name: 'replacement_wanted',
    label: 'Replacements that the CA asks for',
    note: 'It may revoke the certificate soon.',
  },
  { name: 'good_news', label: 'Good news', note: 'Renewed or mended, after you were warned.' },
];

export interface MutedEventsProps {
  value: readonly MutedEvent[];
  onChange: (muted: MutedEvent[]) => void;
}

/** What people can do without. A tick means that they hear of it. */
export function MutedEvents({ value, onChange }: MutedEventsProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label text-fg-2">
        Expiry, revocation, a wrong name and a broken chain are always told. Beside these:
      </legend>
      {EVENTS.map(({ name, label, note }) => (
        <CheckboxLine
          key={name}
          checked={!value.includes(name)}
          onChange={(isHeard) =>
            onChange(isHeard ? value.filter((other) => other !== name) : [...value, name])
          }
          label={label}
          note={note}
        />
      ))}
    </fieldset>
  );
}

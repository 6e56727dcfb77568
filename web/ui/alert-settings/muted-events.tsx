import type { AlertSettingsWire } from '../../../contract/alerting.ts';
import { CheckboxLine } from '../form/checkbox-line.tsx';

type MutedEvent = AlertSettingsWire['muted'][number];

const EVENTS: { name: MutedEvent; label: string; note: string }[] = [
  {
    name: 'uptime',
    label: 'Outages',
    note: 'Confirmed by a second check 30 seconds later.',
  },
  {
    name: 'changed',
    label: 'Unexpected changes',
    note: 'A new certificate before the renewal was due.',
  },
  {
    name: 'replacement_wanted',
    label: 'Replacement requests',
    note: 'The CA asks you to replace the certificate and may revoke it soon.',
  },
  {
    name: 'not_deployed',
    label: 'Unfinished renewals',
    note: 'A day after a renewal, some domains still serve the old certificate.',
  },
  {
    name: 'refused_from',
    label: 'Refusals ahead',
    note: '60, 30 and 7 days before clients refuse a certificate.',
  },
  {
    name: 'renewal_fails',
    label: 'Failing renewals',
    note: 'When the next renewal will fail, and 3 days before it.',
  },
  {
    name: 'registration',
    label: 'Domain registrations',
    note: '60, 30, 14, 7 and 1 days before a registration ends.',
  },
  { name: 'good_news', label: 'Recovery', note: 'Renewed or fixed after a warning.' },
];

export interface MutedEventsProps {
  value: readonly MutedEvent[];
  onChange: (muted: MutedEvent[]) => void;
}

/** Chooses the events about which alerts are sent. A tick means that they are sent. */
export function MutedEvents({ value, onChange }: MutedEventsProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label text-fg-2">
        Expiry, revocation, a wrong name and a broken chain are always on. Also alert me about:
      </legend>
      {EVENTS.map(({ name, label, note }) => (
        <CheckboxLine
          key={name}
          checked={!value.includes(name)}
          onChange={(isOn) => onChange(isOn ? value.filter((other) => other !== name) : [...value, name])}
          label={label}
          note={note}
        />
      ))}
    </fieldset>
  );
}

import { useId } from 'react';
import type { ChannelWire } from '../../../contract/channel.ts';
import { CheckboxLine } from '../form/checkbox-line.tsx';
import { FieldError } from '../form/field.tsx';
import { ChannelIcon } from './channel-icon.tsx';

export interface ChannelChoiceProps {
  /** As in the contract: null means all channels, including channels that are added later. */
  value: readonly string[] | null;
  onChange: (keys: string[] | null) => void;
  channels: readonly ChannelWire[];
}

/** Chooses all channels or some, but at least one. */
export function ChannelChoice({ value, onChange, channels }: ChannelChoiceProps) {
  const id = useId();
  // A channel in the choice that has been deleted is ignored.
  const chosen = channels.filter(({ key }) => value === null || value.includes(key)).map(({ key }) => key);
  return (
    <fieldset className="grid gap-1">
      <legend className="sr-only">Channels</legend>
      <CheckboxLine
        checked={value === null}
        onChange={(isAll) => onChange(isAll ? null : chosen)}
        label="All channels, including new ones"
      />
      {value !== null && (
        <ul className="pl-7" aria-describedby={chosen.length === 0 ? id : undefined}>
          {channels.map(({ key, kind, name, target }) => (
            <li key={key}>
              <CheckboxLine
                checked={chosen.includes(key)}
                isFixed={chosen.length === 1 && chosen[0] === key}
                note={
                  chosen.length === 1 && chosen[0] === key
                    ? 'Alerts need at least one channel. Choose another one first.'
                    : undefined
                }
                onChange={(isChosen) =>
                  onChange(isChosen ? [...chosen, key] : chosen.filter((other) => other !== key))
                }
                label={
                  <>
                    <ChannelIcon kind={kind} />
                    <span className="min-w-0 [overflow-wrap:anywhere]">
                      {name}
                      {name !== target && <span className="text-fg-3"> {target}</span>}
                    </span>
                  </>
                }
              />
            </li>
          ))}
        </ul>
      )}
      {value !== null && chosen.length === 0 && <FieldError id={id}>Choose at least one channel</FieldError>}
    </fieldset>
  );
}

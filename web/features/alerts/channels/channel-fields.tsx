import type { Form } from '../../../lib/form.ts';
import { Field } from '../../../ui/field.tsx';
import { SelectField } from '../../../ui/select-field.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import type { ChannelKindName } from '../../../../contract/words.ts';

interface ChannelFieldsProps {
  kind: ChannelKindName;
  field: Form<string, unknown>['field'];
  /** Its secrets are set, and are not shown. */
  isKnown?: boolean;
}

/** What a kind of channel needs to know. */
export function ChannelFields({ kind, field, isKnown = false }: ChannelFieldsProps) {
  return CHANNEL_KINDS[kind].fields.map(
    ({ name, label, placeholder, hint, isOptional, isMono, inputMode, choices }) =>
      choices ? (
        <SelectField key={name} {...field(name)} label={label}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </SelectField>
      ) : (
        <Field
          key={name}
          {...field(name)}
          label={label}
          {...(isOptional && { aside: 'Optional' })}
          placeholder={isKnown && kind !== 'email' ? 'As it is' : placeholder}
          hint={hint}
          mono={isMono === true}
          {...(inputMode && { inputMode })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      ),
  );
}

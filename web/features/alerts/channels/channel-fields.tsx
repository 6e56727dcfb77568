import type { Form } from '../../../lib/form.ts';
import { Field } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { SelectField } from '../../../ui/form/select-field.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import type { ChannelKindName } from '../../../../contract/words.ts';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';

const OF_THE_FIELD = ['channel_refused', 'channel_exists', 'invalid_request'];

interface ChannelFieldsProps extends Pick<Form<string, unknown>, 'field' | 'choice'> {
  kind: ChannelKindName;
  /** True if the channel exists, so that its secrets are stored and not shown. */
  isKnown?: boolean;
}

export function ChannelFields({ kind, field, choice, isKnown = false }: ChannelFieldsProps) {
  return CHANNEL_KINDS[kind].fields.map(
    ({ name, label, placeholder, hint, isOptional, isMono, inputMode, choices }) =>
      choices ? (
        <SelectField
          key={name}
          {...choice(name)}
          label={label}
          options={isKnown && isOptional ? [{ value: '', label: 'Unchanged' }, ...choices] : choices}
        />
      ) : (
        <Field
          key={name}
          {...field(name)}
          label={label}
          {...(isOptional && { aside: 'Optional' })}
          placeholder={isKnown && kind !== 'email' ? 'Unchanged' : placeholder}
          hint={hint}
          mono={isMono === true}
          {...(inputMode && { inputMode })}
          {...LITERAL}
        />
      ),
  );
}

/** Shows why a channel was not saved: at the field that the error is about, otherwise as a toast. */
export function showRefusal(
  error: unknown,
  kind: ChannelKindName,
  refuse: Form<string, unknown>['refuse'],
): void {
  const code = error instanceof ApiError ? error.code : null;
  const { fields } = CHANNEL_KINDS[kind];
  // The server refuses some channels because of the host or port in their URL: show that error at the URL's field.
  const address = code === 'channel_refused' && fields.find(({ inputMode }) => inputMode === 'url');
  if (code !== null && OF_THE_FIELD.includes(code)) refuse((address || fields[0]).name, messageOf(error));
  else toast.error(failureText(error, 'Could not save the channel: '));
}

import { ApiError, messageOf } from '../../../lib/api-error.ts';
import type { Form } from '../../../lib/form.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import type { ChannelKindName } from '../../../../contract/words.ts';

const OF_THE_FIELD = ['channel_refused', 'channel_exists', 'invalid_request'];

/** Says why a channel was not saved: at the field that leads it somewhere, where it is about that. */
export function tellRefusal(
  error: unknown,
  kind: ChannelKindName,
  refuse: Form<string, unknown>['refuse'],
): void {
  const code = error instanceof ApiError ? error.code : null;
  if (code !== null && OF_THE_FIELD.includes(code))
    refuse(CHANNEL_KINDS[kind].fields[0].name, messageOf(error));
  else toast.error(failureText(error, 'The channel was not saved: '));
}

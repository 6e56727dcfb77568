import { MOST_CHANNELS } from '../../../contract/channel.ts';
import { refuse } from '../http/problem.ts';

/** Refusals of calls about channels. Refusals of the store have its codes as keys. */
export const CHANNEL_REFUSALS = {
  not_found: () => refuse('not_found', 'There is no such channel.'),
  premium_required: () => refuse('premium_required', 'Channels other than your own email come with Premium.'),
  too_many_channels: () =>
    refuse('too_many_channels', `An account can have up to ${MOST_CHANNELS} channels.`),
  channel_exists: () => refuse('channel_exists', 'You have a channel that leads there already.'),
  channel_closed: () => refuse('channel_closed', 'Nothing is sent to this channel now. Its state says why.'),
  ownMail: () => refuse('channel_refused', 'Your own email can only be tried again: send enabled: true.'),
  otherKind: () => refuse('channel_refused', 'A channel keeps its kind. Add another one instead.'),
};

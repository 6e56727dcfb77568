import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { teamsMessage } from './teams-message.ts';

type TeamsConfig = Extract<ChannelConfig, { kind: 'teams' }>;

/**
 * Workflows: "Post to a channel when a webhook request is received". A flow may be turned off for a while, and its errors are its
 * owner's to mend, so only one that is gone is given up.
 */
export const teams: Receiver<TeamsConfig> = {
  name: 'Microsoft Teams',
  posting: ({ url }, { content }) => ({
    url,
    body: JSON.stringify(teamsMessage(content)),
  }),
  refusals: {
    401: { why: 'the address of the workflow is not the whole one' },
    404: { why: 'the workflow does not exist any more', cause: 'gone' },
    410: { why: 'the workflow does not exist any more', cause: 'gone' },
  },
  otherRefusals: 'retry',
};

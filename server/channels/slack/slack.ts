import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { slackMessage } from './slack-message.ts';

type SlackConfig = Extract<ChannelConfig, { kind: 'slack' }>;

/** Incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: Receiver<SlackConfig> = {
  name: 'Slack',
  posting: ({ url }, { content }) => ({
    url,
    body: JSON.stringify(slackMessage(content)),
  }),
  refusals: {
    403: { why: 'the workspace does not allow this webhook' },
    404: { why: 'the webhook or its channel does not exist any more', cause: 'gone' },
    410: { why: 'the channel is archived', cause: 'gone' },
  },
  otherRefusals: 'failed',
};

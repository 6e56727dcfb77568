import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { discordMessage } from './discord-message.ts';

type DiscordConfig = Extract<ChannelConfig, { kind: 'discord' }>;

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: Receiver<DiscordConfig> = {
  name: 'Discord',
  posting: ({ url }, { content }) => ({
    url,
    body: JSON.stringify(discordMessage(content)),
  }),
  refusals: {
    401: { why: 'the address of the webhook is not the whole one' },
    404: { why: 'the webhook does not exist any more', cause: 'gone' },
    410: { why: 'the webhook does not exist any more', cause: 'gone' },
  },
  otherRefusals: 'failed',
};

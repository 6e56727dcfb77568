import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { ntfyMessage } from './ntfy-message.ts';

type NtfyConfig = Extract<ChannelConfig, { kind: 'ntfy' }>;

/** Publishing as JSON, which goes to the root of a server: https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfy: Receiver<NtfyConfig> = {
  name: 'ntfy',
  posting: ({ server, topic, access_token: token }, { content }) => ({
    url: URL.parse('/', server)?.href ?? server,
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
    body: JSON.stringify({ topic, ...ntfyMessage(content) }),
  }),
  refusals: {
    401: { why: 'the access token is not valid' },
    403: { why: 'the topic may not be written to without a fitting access token' },
    404: { why: 'there is no ntfy server at this address' },
  },
  otherRefusals: 'failed',
};

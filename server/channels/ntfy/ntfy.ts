import { z } from 'zod';
import { alertLines, type AlertTone, truncateLines } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, storedAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/**
 * Channel to an ntfy topic. Publishes as JSON, which ntfy accepts at the root of a server:
 * https://docs.ntfy.sh/publish/#publish-as-json
 */
export const ntfy: ChannelDefinition<EnteredConfig<'ntfy'>> = {
  stored: z.object({
    kind: z.literal('ntfy'),
    server: storedAddress,
    topic: z.string(),
    access_token: z.string().optional(),
  }),
  enteredAddress: ({ server }) => server,
  toStored: (entered) => entered,
  receiverKey: ({ server, topic }) => `${new URL(server).href} ${topic}`,
  maskedTarget: ({ server, topic }) => `${new URL(server).host}/${topic}`,
  defaultName: ({ topic }) => `ntfy: ${topic}`,
  receiver: {
    posting: ({ server, topic, access_token: token }, { content }) => ({
      url: URL.parse('/', server)?.href ?? server,
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
      body: JSON.stringify({ topic, ...ntfyMessage(content) }),
    }),
    refusals: {
      401: { why: 'the access token is not valid' },
      403: { why: 'writing to the topic requires a valid access token' },
      404: { why: 'there is no ntfy server at this address' },
    },
    otherRefusals: 'failed',
  },
};

/** Maximum size of a message. ntfy turns messages of more than 4,096 bytes into attachments. */
const MAX_MESSAGE_BYTES = 4_000;
const PRIORITIES: Record<AlertContent['severity'], number> = { critical: 5, warning: 4, info: 3 };
/** Emoji tags: https://docs.ntfy.sh/emojis/ */
const TAGS: Record<AlertTone, string> = {
  critical: 'rotating_light',
  warning: 'warning',
  good: 'white_check_mark',
};

/** Builds an ntfy message. Its texts need no escaping, because ntfy renders Markdown and templates only on request. */
export function ntfyMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const lines = [
    ...[heading, ...paragraphs].map((text) => `${text}\n`),
    ...facts.map(({ label, value }) => `${label}: ${value}`),
  ];
  return {
    title: subject,
    message: truncateLines(lines, MAX_MESSAGE_BYTES, (line) => Buffer.byteLength(line)).join('\n'),
    priority: content.resolves ? PRIORITIES.info : PRIORITIES[content.severity],
    tags: [TAGS[tone]],
    click: link.url,
    actions: [{ action: 'view', label: link.label, url: link.url }],
  };
}

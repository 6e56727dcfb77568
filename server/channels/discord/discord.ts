import { alertLines, type AlertTone, asMarkdown, truncateLines } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, withSecretAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/** Channel to a Discord webhook: https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChannelDefinition<EnteredConfig<'discord'>> = {
  ...withSecretAddress('discord'),
  toStored: (entered) => entered,
  receiver: {
    posting: ({ url }, { content }) => ({ url, body: JSON.stringify(discordMessage(content)) }),
    refusals: {
      401: { why: 'the webhook address is incomplete' },
      404: { why: 'the webhook no longer exists', cause: 'gone' },
      410: { why: 'the webhook no longer exists', cause: 'gone' },
    },
    otherRefusals: 'failed',
  },
};

/**
 * Text limits that keep an embed within Discord's own limits, such as 6,000 characters in total:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
const MAX_TITLE_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 2_600;
const MAX_PARAGRAPH_LENGTH = 1_000;
const MAX_FIELD_NAME_LENGTH = 60;
const MAX_FIELD_VALUE_LENGTH = 240;
const COLOURS: Record<AlertTone, number> = { critical: 0xdf2a2a, warning: 0xbf8506, good: 0x1a7f4e };

/** Builds a message with one embed. `allowed_mentions` prevents untrusted text from mentioning anybody. */
export function discordMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: asMarkdown(subject, MAX_TITLE_LENGTH),
        // Omit such a link: Discord refuses the whole message if its host has no dot, such as localhost.
        ...(new URL(link.url).hostname.includes('.') && { url: link.url }),
        color: COLOURS[tone],
        description: truncateLines(
          [heading, ...paragraphs].map((text) => asMarkdown(text, MAX_PARAGRAPH_LENGTH)),
          MAX_DESCRIPTION_LENGTH,
          (text) => text.length + 1,
        ).join('\n\n'),
        fields: facts.map(({ label, value }) => ({
          name: asMarkdown(label, MAX_FIELD_NAME_LENGTH) || '–',
          value: asMarkdown(value, MAX_FIELD_VALUE_LENGTH) || '–',
          inline: false,
        })),
        timestamp: new Date(content.alertedAt).toISOString(),
      },
    ],
  };
}

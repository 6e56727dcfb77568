import { type AlertTone, alertLines, asMarkdown, fitting } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, withSecretAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/** Webhooks: https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: ChannelDefinition<EnteredConfig<'discord'>> = {
  name: 'Discord',
  ...withSecretAddress('discord'),
  toStored: (entered) => entered,
  receiver: {
    posting: ({ url }, { content }) => ({ url, body: JSON.stringify(discordMessage(content)) }),
    refusals: {
      401: { why: 'the address of the webhook is not the whole one' },
      404: { why: 'the webhook does not exist any more', cause: 'gone' },
      410: { why: 'the webhook does not exist any more', cause: 'gone' },
    },
    otherRefusals: 'failed',
  },
};

/** Limits: https://discord.com/developers/docs/resources/message#embed-object-embed-limits, together at most 6,000. */
const LONGEST_TITLE = 256;
const LONGEST_DESCRIPTION = 2_600;
const LONGEST_PARAGRAPH = 1_000;
const LONGEST_FIELD_NAME = 60;
const LONGEST_FIELD_VALUE = 240;
const COLOURS: Record<AlertTone, number> = { critical: 0xdf2a2a, warning: 0xbf8506, good: 0x1a7f4e };

/** Builds one embed. `allowed_mentions` keeps text of strangers from mentioning anybody. */
export function discordMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: asMarkdown(subject, LONGEST_TITLE),
        // Discord refuses the whole message if a link has a host without a dot, such as localhost.
        ...(new URL(link.url).hostname.includes('.') && { url: link.url }),
        color: COLOURS[tone],
        description: fitting(
          [heading, ...paragraphs].map((text) => asMarkdown(text, LONGEST_PARAGRAPH)),
          LONGEST_DESCRIPTION,
          (text) => text.length + 1,
        ).join('\n\n'),
        fields: facts.map(({ label, value }) => ({
          name: asMarkdown(label, LONGEST_FIELD_NAME) || '–',
          value: asMarkdown(value, LONGEST_FIELD_VALUE) || '–',
          inline: false,
        })),
        timestamp: new Date(content.alertedAt).toISOString(),
      },
    ],
  };
}

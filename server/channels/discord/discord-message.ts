import { alertLines, fitting } from '../alert-lines.ts';
import type { AlertTone } from '../alert-lines.ts';
import { asMarkdown } from '../markdown.ts';
import type { AlertContent } from '../messages/index.ts';

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits; the parts stay within 6,000 in all. */
const LONGEST_TITLE = 256;
const LONGEST_DESCRIPTION = 2_600;
const LONGEST_PARAGRAPH = 1_000;
const LONGEST_FIELD_NAME = 60;
const LONGEST_FIELD_VALUE = 240;
const COLOURS: Record<AlertTone, number> = { critical: 0xdf2a2a, warning: 0xbf8506, good: 0x1a7f4e };

/** One embed, in which nobody is mentioned whatever it says. */
export function discordMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: asMarkdown(subject, LONGEST_TITLE),
        // Discord refuses the whole message for a link that leads nowhere public.
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

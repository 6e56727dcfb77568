import { alertLines, type AlertTone, asMarkdown } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, withSecretAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/**
 * Channel to the Teams workflow "Post to a channel when a webhook request is received". Its owner may turn it off
 * temporarily or fix its errors, so only the statuses for a deleted workflow and for an incomplete URL are final.
 */
export const teams: ChannelDefinition<EnteredConfig<'teams'>> = {
  ...withSecretAddress('teams'),
  toStored: (entered) => entered,
  receiver: {
    posting: ({ url }, { content }) => ({ url, body: JSON.stringify(teamsMessage(content)) }),
    refusals: {
      401: { why: 'the workflow address is incomplete' },
      404: { why: 'the workflow no longer exists', cause: 'gone' },
      410: { why: 'the workflow no longer exists', cause: 'gone' },
    },
    otherRefusals: 'retry',
  },
};

/** Text limits that keep a card below the 28 kB that Teams accepts. */
const MAX_TEXT_LENGTH = 700;
const MAX_VALUE_LENGTH = 400;
const STYLES: Record<AlertTone, string> = { critical: 'attention', warning: 'warning', good: 'good' };

/**
 * Builds a message with an Adaptive Card. The card's texts are Markdown, in which `{{DATE(…)}}` calls a function, so
 * `asMarkdown` escapes braces too.
 */
export function teamsMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: asMarkdown(subject, MAX_TEXT_LENGTH),
    body: [
      {
        type: 'Container',
        style: STYLES[tone],
        bleed: true,
        items: [{ ...textBlock(subject), size: 'Medium', weight: 'Bolder' }],
      },
      ...[heading, ...paragraphs].map(textBlock),
      {
        type: 'FactSet',
        facts: facts.map(({ label, value }) => ({
          title: asMarkdown(label, MAX_TEXT_LENGTH),
          value: asMarkdown(value, MAX_VALUE_LENGTH),
        })),
      },
    ],
    actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

function textBlock(text: string): Record<string, unknown> {
  return { type: 'TextBlock', text: asMarkdown(text, MAX_TEXT_LENGTH), wrap: true };
}

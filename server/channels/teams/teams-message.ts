import { alertLines } from '../alert-lines.ts';
import type { AlertTone } from '../alert-lines.ts';
import { asMarkdown } from '../markdown.ts';
import type { AlertContent } from '../messages/index.ts';

/** A card of 28 kB is the most that Teams takes; these stay far below. */
const LONGEST_TEXT = 700;
const LONGEST_VALUE = 400;
const STYLES: Record<AlertTone, string> = { critical: 'attention', warning: 'warning', good: 'good' };

/** An Adaptive Card, the only form that Workflows take. Its texts are Markdown, and `{{DATE(…)}}` in them is a function. */
export function teamsMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: asMarkdown(subject, LONGEST_TEXT),
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
          title: asMarkdown(label, LONGEST_TEXT),
          value: asMarkdown(value, LONGEST_VALUE),
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
  return { type: 'TextBlock', text: asMarkdown(text, LONGEST_TEXT), wrap: true };
}

import { alertLines, escapedWithin } from '../alert-lines.ts';
import type { AlertTone } from '../alert-lines.ts';
import type { AlertContent } from '../messages/index.ts';

const LONGEST_HEADER = 150;
const LONGEST_TEXT = 2_900;
const MOST_FIELDS = 10;
const COLOURS: Record<AlertTone, string> = { critical: '#df2a2a', warning: '#bf8506', good: '#1a7f4e' };

/**
 * Block Kit. Whatever strangers may have written stands in `plain_text`, where nothing is a mention, a link or an emoji; the
 * rest is ours. `text` is for notifications alone, which know no other form.
 */
export function slackMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const cells = facts.flatMap(({ label, value }) => [plain(label), plain(value)]);
  return {
    text: mrkdwn(subject, LONGEST_TEXT),
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [{ type: 'header', text: plain(subject, LONGEST_HEADER) }],
    attachments: [
      {
        color: COLOURS[tone],
        fallback: mrkdwn(heading, LONGEST_TEXT),
        blocks: [
          { type: 'section', text: plain([heading, ...paragraphs].join('\n\n'), LONGEST_TEXT) },
          ...rowsOf(cells).map((fields) => ({ type: 'section', fields })),
          {
            type: 'context',
            elements: [{ type: 'mrkdwn', verbatim: true, text: linkTo(link) }],
          },
        ],
      },
    ],
  };
}

/** A section shows its fields in two columns, ten at most. */
function rowsOf<Cell>(cells: readonly Cell[]): Cell[][] {
  return Array.from({ length: Math.ceil(cells.length / MOST_FIELDS) }, (_, row) =>
    cells.slice(row * MOST_FIELDS, (row + 1) * MOST_FIELDS),
  );
}

function plain(text: string, length = LONGEST_TEXT): Record<string, unknown> {
  // Empty texts are refused.
  return {
    type: 'plain_text',
    emoji: false,
    text: escapedWithin(text, length, (character) => character) || '–',
  };
}

/** The bar parts the address from its label. */
function linkTo({ label, url }: { label: string; url: string }): string {
  return `<${mrkdwn(url.replaceAll('|', '%7C'))}|${mrkdwn(label)}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function mrkdwn(text: string, length = LONGEST_TEXT): string {
  return escapedWithin(text, length, (character) => ESCAPES[character] ?? character);
}

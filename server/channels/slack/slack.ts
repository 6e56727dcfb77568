import { alertLines, type AlertTone, escapedWithin } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, withSecretAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/** Channel to a Slack incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: ChannelDefinition<EnteredConfig<'slack'>> = {
  ...withSecretAddress('slack'),
  toStored: (entered) => entered,
  receiver: {
    posting: ({ url }, { content }) => ({ url, body: JSON.stringify(slackMessage(content)) }),
    refusals: {
      403: { why: 'the workspace does not allow this webhook' },
      404: { why: 'the webhook or its channel no longer exists', cause: 'gone' },
      410: { why: 'the channel is archived', cause: 'gone' },
    },
    otherRefusals: 'failed',
  },
};

const MAX_HEADER_LENGTH = 150;
const MAX_TEXT_LENGTH = 2_900;
const MAX_FIELDS = 10;
const COLOURS: Record<AlertTone, string> = { critical: '#df2a2a', warning: '#bf8506', good: '#1a7f4e' };

/**
 * Builds a Block Kit message. Untrusted text in blocks is `plain_text`, in which Slack interprets no mentions, links or
 * emoji. Notifications show `text` or `fallback`, which are mrkdwn and therefore escaped.
 */
export function slackMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const cells = facts.flatMap(({ label, value }) => [plain(label), plain(value)]);
  return {
    text: mrkdwn(subject, MAX_TEXT_LENGTH),
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [{ type: 'header', text: plain(subject, MAX_HEADER_LENGTH) }],
    attachments: [
      {
        color: COLOURS[tone],
        fallback: mrkdwn(heading, MAX_TEXT_LENGTH),
        blocks: [
          { type: 'section', text: plain([heading, ...paragraphs].join('\n\n'), MAX_TEXT_LENGTH) },
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

/** Splits the cells into groups of ten: a section has two columns and shows at most ten fields. */
function rowsOf<Cell>(cells: readonly Cell[]): Cell[][] {
  return Array.from({ length: Math.ceil(cells.length / MAX_FIELDS) }, (_, row) =>
    cells.slice(row * MAX_FIELDS, (row + 1) * MAX_FIELDS),
  );
}

function plain(text: string, length = MAX_TEXT_LENGTH): Record<string, unknown> {
  // Slack refuses empty texts.
  return {
    type: 'plain_text',
    emoji: false,
    text: escapedWithin(text, length, (character) => character) || '–',
  };
}

/** Builds a mrkdwn link. Encodes bars in the URL, because a bar separates the URL from its label. */
function linkTo({ label, url }: { label: string; url: string }): string {
  return `<${mrkdwn(url.replaceAll('|', '%7C'))}|${mrkdwn(label)}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes text for mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function mrkdwn(text: string, length = MAX_TEXT_LENGTH): string {
  return escapedWithin(text, length, (character) => ESCAPES[character] ?? character);
}

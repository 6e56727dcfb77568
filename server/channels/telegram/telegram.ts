import { z } from 'zod';
import { alertLines, htmlWithin, TONE_MARKS, truncateLines } from '../alert-lines.ts';
import type { ChannelDefinition, EnteredConfig } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

const API = 'https://api.telegram.org';

/**
 * Channel through a bot that the user created: https://core.telegram.org/bots/api#sendmessage. The URL of a
 * request contains the bot's token.
 */
export const telegram: ChannelDefinition<EnteredConfig<'telegram'>> = {
  stored: z.object({ kind: z.literal('telegram'), bot_token: z.string(), chat_id: z.string() }),
  toStored: (entered) => entered,
  receiverKey: ({ chat_id: chat }) => chat,
  maskedTarget: ({ chat_id: chat }) => `chat ${chat}`,
  receiver: {
    posting: ({ bot_token: token, chat_id: chat }, { content }) => ({
      url: new URL(`/bot${token}/sendMessage`, API).href,
      body: JSON.stringify({
        chat_id: chat,
        text: telegramText(content),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      }),
    }),
    refusals: {
      400: { why: 'the chat was not found, or the bot is not in it' },
      401: { why: 'the bot token is not valid' },
      403: { why: 'the bot was blocked or removed from the chat', cause: 'gone' },
      404: { why: 'the bot token is not valid' },
    },
    otherRefusals: 'failed',
  },
};

/** Message limit of the Bot API in characters. The API does not count markup, but this code does. */
const MAX_MESSAGE_LENGTH = 4_096;
const MAX_LINE_LENGTH = 900;

/**
 * Renders an alert in the Bot API's HTML (https://core.telegram.org/bots/api#html-style). If the text is too long, drops lines
 * but keeps the link.
 */
export function telegramText(content: AlertContent): string {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const title = `${TONE_MARKS[tone]} <b>${asHtml(subject)}</b>`;
  const reference = `<a href="${htmlWithin(link.url, MAX_LINE_LENGTH)}">${asHtml(link.label)}</a>`;
  const lines = [
    ...[heading, ...paragraphs].map((text) => `${asHtml(text)}\n`),
    ...facts.map(
      ({ label, value }) => `${asHtml(label)}: <code>${htmlWithin(value, MAX_LINE_LENGTH)}</code>`,
    ),
  ];
  const limit = MAX_MESSAGE_LENGTH - title.length - reference.length - 4;
  return [`${title}\n`, ...truncateLines(lines, limit, (text) => text.length), `\n${reference}`].join('\n');
}

/**
 * Escapes text and inserts an invisible word joiner after @, #, $ and /, so that Telegram creates no mentions, hashtags,
 * cashtags or commands.
 */
function asHtml(text: string): string {
  return htmlWithin(text.replaceAll(/([@#$/])(?=[\p{L}\p{N}_])/gu, '$1\u2060'), MAX_LINE_LENGTH);
}

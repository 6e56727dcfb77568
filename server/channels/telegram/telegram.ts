import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { alertLines, escapedWithin, fitting, type AlertTone } from '../alert-lines.ts';
import type { AlertContent } from '../messages/index.ts';

type TelegramConfig = Extract<ChannelConfig, { kind: 'telegram' }>;

/** A bot of the person's own: https://core.telegram.org/bots/api#sendmessage. Its token stands in the address. */
export function createTelegram(api: URL): Receiver<TelegramConfig> {
  return {
    name: 'Telegram',
    posting: ({ bot_token: token, chat_id: chat }, { content }) => ({
      url: new URL(`/bot${token}/sendMessage`, api).href,
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
  };
}

/** Limit of the Bot API in characters. The API does not count markup; this code does. */
const LONGEST_MESSAGE = 4_096;
const LONGEST_LINE = 900;
const MARKS: Record<AlertTone, string> = { critical: '🔴', warning: '🟠', good: '🟢' };

/** Renders an alert in the Bot API's HTML (https://core.telegram.org/bots/api#html-style). Drops lines rather than the link if it is too long. */
export function telegramText(content: AlertContent): string {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const title = `${MARKS[tone]} <b>${asHtml(subject)}</b>`;
  const reference = `<a href="${escaped(link.url)}">${asHtml(link.label)}</a>`;
  const told = [
    ...[heading, ...paragraphs].map((text) => `${asHtml(text)}\n`),
    ...facts.map(({ label, value }) => `${asHtml(label)}: <code>${escaped(value)}</code>`),
  ];
  const room = LONGEST_MESSAGE - title.length - reference.length - 4;
  return [`${title}\n`, ...fitting(told, room, (text) => text.length), `\n${reference}`].join('\n');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return escapedWithin(text, LONGEST_LINE, (character) => ESCAPES[character] ?? character);
}

/** Escapes text and inserts an invisible word joiner after @, #, $ and /, so that Telegram makes no mentions, hashtags or commands. */
function asHtml(text: string): string {
  return escaped(text.replaceAll(/([@#$/])(?=[\p{L}\p{N}_])/gu, '$1\u2060'));
}

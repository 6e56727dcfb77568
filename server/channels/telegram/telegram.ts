import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { telegramText } from './telegram-text.ts';

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

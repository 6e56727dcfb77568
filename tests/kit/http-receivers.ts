import { createHttpChannels } from '../../server/channels/index.ts';
import type { HttpChannels, HttpChannelsOptions, StoredChannelConfig } from '../../server/channels/index.ts';
import { createAddressPolicy, createResolver } from '../../server/egress/index.ts';

/** Channels by HTTP on this machine; where Telegram and PagerDuty are meant, they find them at `at`. */
export function localChannels({
  at = 'http://127.0.0.1:9',
  servers = [],
  allow = ['127.0.0.0/8'],
  ...options
}: Partial<HttpChannelsOptions> & { at?: string; servers?: string[]; allow?: string[] } = {}): HttpChannels {
  const policy = createAddressPolicy(allow, () => []);
  const api = new URL(at);
  return createHttpChannels({
    policy,
    resolver: createResolver({ servers, policy }),
    addresses: { telegram: api, pagerduty: { us: api, eu: api } },
    ...options,
  });
}

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const BOT_TOKEN = '123456789:AAsecretsecretsecretsecretsecretsec';
export const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';
export const ACCESS_TOKEN = 'tk_secretsecretsecret';

/** One channel of every kind that is reached by HTTP, all of them at one address. */
export function everyChannelAt(address: string): StoredChannelConfig[] {
  return [
    { kind: 'webhook', url: `${address}/hook`, secrets: [{ secret: WEBHOOK_SECRET, until: null }] },
    { kind: 'slack', url: `${address}/services/T0/B0/secret` },
    { kind: 'discord', url: `${address}/api/webhooks/1/secret` },
    { kind: 'teams', url: `${address}/workflows/secret?sig=secret` },
    { kind: 'telegram', bot_token: BOT_TOKEN, chat_id: '-100123' },
    { kind: 'pagerduty', routing_key: ROUTING_KEY, region: 'eu' },
    { kind: 'ntfy', server: `${address}/ignored`, topic: 'alerts', access_token: ACCESS_TOKEN },
  ];
}

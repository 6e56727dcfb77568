import { createHttpChannels } from '../../../server/channels/index.ts';
import type { HttpChannels, HttpChannelsOptions } from '../../../server/channels/index.ts';
import type { StoredChannelConfig } from '../../../server/channels/kinds/index.ts';
import { createAddressPolicy, createResolver } from '../../../server/egress/index.ts';

const SERVICES = [
  'https://api.telegram.org',
  'https://events.pagerduty.com',
  'https://events.eu.pagerduty.com',
];

/** Creates HTTP channels that may post to this machine. `at` stands in for Telegram and PagerDuty. */
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
    standIns: Object.fromEntries(SERVICES.map((origin) => [origin, api])),
    ...options,
  });
}

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const BOT_TOKEN = '123456789:AAsecretsecretsecretsecretsecretsec';
export const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';
export const ACCESS_TOKEN = 'tk_secretsecretsecret';

/** Returns a channel of each HTTP kind, all of them at one address. */
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

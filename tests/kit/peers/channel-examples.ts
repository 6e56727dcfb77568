import type { ChannelConfig } from '../../../contract/channel-config.ts';
import type { ChannelKindName } from '../../../contract/words.ts';
import type { AlertContent } from '../../../server/channels/messages/alert-input.ts';
import { definitionOf, type StoredChannelConfig } from '../../../server/channels/kinds/index.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const ACCESS_TOKEN = 'tk_secretsecretsecret';
const BOT_TOKEN = '123456789:AAsecretsecretsecretsecretsecretsec';
const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';

/** What a kind of channel sends over HTTP, and what each response status means for it. */
interface HttpExample {
  /** Returns a stored config whose receiver is at this URL. */
  at(address: string): StoredChannelConfig;
  /** Origins of the service, if its URL is fixed. Tests replace the service at these origins. */
  service?: readonly string[];
  /** The request for an alert, with a part of its body. */
  request: { method?: 'PUT'; path: string; part: object; authorization?: string };
  /** Secret in the config of `at`, which must appear nowhere else. */
  secret: string;
  /** Maximum size of a body in bytes, if the receiver has a limit. */
  maxBytes?: number;
  /** Statuses after which the channel is switched off. */
  gone: readonly number[];
  /** Statuses after which the delivery fails and the channel stays on. */
  failed: readonly number[];
  /** Statuses that this kind retries although most kinds treat them as final. */
  retried?: readonly number[];
}

/**
 * An example of each kind of channel: the settings that a person enters, with `secret` in every secret value, and the results
 * that tests expect.
 */
export const CHANNEL_EXAMPLES: {
  [Kind in ChannelKindName]: {
    entered: Extract<ChannelConfig, { kind: Kind }>;
    /** The target that the page shows. */
    target: string;
    /** The default name. */
    name: string;
    http: Kind extends 'email' ? null : HttpExample;
  };
} = {
  email: {
    entered: { kind: 'email', address: 'Ops@fjord.example' },
    target: 'ops@fjord.example',
    name: 'ops@fjord.example',
    http: null,
  },
  webhook: {
    entered: { kind: 'webhook', url: 'https://fjord.example/hooks/alerts/secret?key=secret', method: 'POST' },
    target: 'https://fjord.example/hooks/alert…',
    name: 'fjord.example',
    http: {
      at: (address) => ({
        kind: 'webhook',
        url: `${address}/hook`,
        secrets: [{ secret: WEBHOOK_SECRET, until: null }],
      }),
      request: { path: '/hook', part: { type: 'certificate.expiring' } },
      secret: WEBHOOK_SECRET,
      gone: [410],
      failed: [],
      retried: [400, 401, 403, 404, 405, 422],
    },
  },
  slack: {
    entered: { kind: 'slack', url: 'https://hooks.slack.com/services/T0/secret-ab12' },
    target: 'hooks.slack.com …ab12',
    name: 'Slack',
    http: {
      at: (address) => ({ kind: 'slack', url: `${address}/services/T0/B0/secret` }),
      request: { path: '/services/T0/B0/secret', part: { unfurl_links: false } },
      secret: 'B0/secret',
      maxBytes: 40_000,
      gone: [404, 410],
      failed: [400, 403],
    },
  },
  discord: {
    entered: { kind: 'discord', url: 'https://discord.com/api/webhooks/1/secret-ab12' },
    target: 'discord.com …ab12',
    name: 'Discord',
    http: {
      at: (address) => ({ kind: 'discord', url: `${address}/api/webhooks/1/secret` }),
      request: { path: '/api/webhooks/1/secret', part: { allowed_mentions: { parse: [] } } },
      secret: '1/secret',
      maxBytes: 40_000,
      gone: [404, 410],
      failed: [400, 401],
    },
  },
  teams: {
    entered: { kind: 'teams', url: 'https://fjord.example/workflows/1?sig=secret-ab12' },
    target: 'fjord.example …ab12',
    name: 'Microsoft Teams',
    http: {
      at: (address) => ({ kind: 'teams', url: `${address}/workflows/secret?sig=secret` }),
      request: { path: '/workflows/secret?sig=secret', part: { type: 'message' } },
      secret: 'sig=secret',
      maxBytes: 28_000,
      gone: [404, 410],
      failed: [401],
      retried: [400, 403, 409],
    },
  },
  telegram: {
    entered: { kind: 'telegram', bot_token: `123456789:${'secret'.repeat(6)}`, chat_id: '-100123' },
    target: 'chat -100123',
    name: 'Telegram',
    http: {
      at: () => ({ kind: 'telegram', bot_token: BOT_TOKEN, chat_id: '-100123' }),
      service: ['https://api.telegram.org'],
      request: {
        path: `/bot${BOT_TOKEN}/sendMessage`,
        part: { chat_id: '-100123', parse_mode: 'HTML' },
      },
      secret: BOT_TOKEN,
      maxBytes: 16_384,
      gone: [403],
      failed: [400, 401, 404],
    },
  },
  pagerduty: {
    entered: { kind: 'pagerduty', routing_key: 'secret'.repeat(4) + 'abcdab12', region: 'eu' },
    target: '…ab12',
    name: 'PagerDuty',
    http: {
      at: () => ({ kind: 'pagerduty', routing_key: ROUTING_KEY, region: 'eu' }),
      service: ['https://events.pagerduty.com', 'https://events.eu.pagerduty.com'],
      request: { path: '/v2/enqueue', part: { routing_key: ROUTING_KEY, event_action: 'trigger' } },
      secret: ROUTING_KEY,
      maxBytes: 512_000,
      gone: [],
      failed: [400, 403, 404],
    },
  },
  ntfy: {
    entered: { kind: 'ntfy', server: 'https://ntfy.sh', topic: 'on-call', access_token: 'tk_secret' },
    target: 'ntfy.sh/on-call',
    name: 'ntfy: on-call',
    http: {
      at: (address) => ({
        kind: 'ntfy',
        server: `${address}/ignored`,
        topic: 'alerts',
        access_token: ACCESS_TOKEN,
      }),
      request: {
        path: '/',
        part: { topic: 'alerts', priority: 4 },
        authorization: `Bearer ${ACCESS_TOKEN}`,
      },
      secret: ACCESS_TOKEN,
      maxBytes: 8_000,
      gone: [],
      failed: [400, 401, 403, 404, 413],
    },
  },
  matrix: {
    entered: {
      kind: 'matrix',
      homeserver: 'https://matrix.fjord.example',
      room_id: '!on-call:fjord.example',
      access_token: 'syt_secret',
    },
    target: 'matrix.fjord.example !on-call:fjord.example',
    name: 'Matrix',
    http: {
      at: (address) => ({
        kind: 'matrix',
        homeserver: `${address}/`,
        room_id: '!on-call:fjord.example',
        access_token: ACCESS_TOKEN,
      }),
      request: {
        method: 'PUT',
        path: '/_matrix/client/v3/rooms/!on-call%3Afjord.example/send/m.room.message/delivery-1',
        part: { msgtype: 'm.text', format: 'org.matrix.custom.html', 'm.mentions': {} },
        authorization: `Bearer ${ACCESS_TOKEN}`,
      },
      secret: ACCESS_TOKEN,
      maxBytes: 60_000,
      gone: [],
      failed: [400, 401, 403, 404, 413],
    },
  },
};

/** The examples of all kinds that are delivered over HTTP. */
export const HTTP_EXAMPLES = Object.entries(CHANNEL_EXAMPLES).flatMap(([kind, { http }]) =>
  http === null ? [] : [{ kind: kind as Exclude<ChannelKindName, 'email'>, ...http }],
);

/** Returns the body that a channel of the example sends for an alert, parsed. */
export function renderedFor(example: (typeof HTTP_EXAMPLES)[number], content: AlertContent): unknown {
  const config = example.at('http://a.test');
  const posting = definitionOf(example.kind).receiver?.posting(config, { content, messageId: 'm-1', now: 0 });
  return JSON.parse(posting?.body ?? '');
}

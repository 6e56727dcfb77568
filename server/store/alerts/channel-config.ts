import type { ChannelKind } from '../../core/index.ts';

/** How a channel is reached, as it is stored; holds secrets. A webhook's are the newest first; `until` (ms UTC): phased out. */
export type StoredChannelConfig =
  | { kind: 'email'; address: string }
  | { kind: 'webhook'; url: string; secrets: { secret: string; until: number | null }[] }
  | { kind: 'slack' | 'discord' | 'teams'; url: string }
  | { kind: 'telegram'; bot_token: string; chat_id: string }
  | { kind: 'pagerduty'; routing_key: string; region: 'us' | 'eu' }
  | { kind: 'ntfy'; server: string; topic: string; access_token?: string | undefined };

/** Two configs with the same one lead to the same place. */
export function placeOf(config: StoredChannelConfig): string {
  switch (config.kind) {
    case 'email':
      return config.address.toLowerCase();
    case 'telegram':
      return config.chat_id;
    case 'pagerduty':
      return config.routing_key;
    case 'ntfy':
      return `${new URL(config.server).href} ${config.topic}`;
    default:
      return new URL(config.url).href;
  }
}

/** Where mail of a channel goes; null for other kinds. `config`: JSON as it is stored. */
export function addressOf({ kind, config }: { kind: ChannelKind; config: string }): string | null {
  return kind === 'email' ? placeOf(JSON.parse(config) as StoredChannelConfig) : null;
}

/** What people tell a channel by. Of an address that is a key to what it leads to, only its host and its end. */
export function maskedTarget(config: StoredChannelConfig): string {
  switch (config.kind) {
    case 'email':
      return config.address;
    case 'webhook':
      return maskedAddress(config.url);
    case 'telegram':
      return `chat ${config.chat_id}`;
    case 'pagerduty':
      return ending(config.routing_key);
    case 'ntfy':
      return `${new URL(config.server).host}/${config.topic}`;
    default:
      return `${new URL(config.url).host} ${ending(config.url)}`;
  }
}

const ending = (secret: string) => `…${secret.slice(-4)}`;
const SHOWN_PATH = 12;

/** Paths and queries of webhooks often hold a key. */
function maskedAddress(text: string): string {
  const { origin, pathname, search } = new URL(text);
  const path = pathname === '/' ? '' : pathname;
  return path.length <= SHOWN_PATH && search === ''
    ? `${origin}${path}`
    : `${origin}${path.slice(0, SHOWN_PATH)}…`;
}

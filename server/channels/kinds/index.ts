import type { ChannelConfig } from '../../../contract/channel-config.ts';
import { CHANNEL_LABELS, type ChannelKindName } from '../../../contract/words.ts';
import type { z } from 'zod';
import type { ChannelDefinition } from '../definition.ts';
import { discord } from '../discord/discord.ts';
import { email } from '../email/email.ts';
import { matrix } from '../matrix/matrix.ts';
import { ntfy } from '../ntfy/ntfy.ts';
import { pagerduty } from '../pagerduty/pagerduty.ts';
import { slack } from '../slack/slack.ts';
import { teams } from '../teams/teams.ts';
import { telegram } from '../telegram/telegram.ts';
import { webhook, withNewSecret } from '../webhook/webhook.ts';

export { newWebhookSecret } from '../webhook/webhook.ts';

/** All kinds of channels. docs/how-to/add-a-channel.md says what else a new one needs. */
const KINDS = { email, webhook, slack, discord, teams, telegram, pagerduty, ntfy, matrix } satisfies {
  [Kind in ChannelKindName]: { stored: z.ZodType<{ kind: Kind }> };
};

/** Stored config of a channel: the address of its receiver, and secrets if it needs any. */
export type StoredChannelConfig = z.infer<(typeof KINDS)[ChannelKindName]['stored']>;

/**
 * Returns the definition of a kind. Pass it only configs of that kind: TypeScript cannot check this, because the kind is looked
 * up at runtime.
 */
export function definitionOf(kind: ChannelKindName): ChannelDefinition<ChannelConfig, StoredChannelConfig> {
  return KINDS[kind];
}

/** Kind and config of a channel, as stored in the database. `config` is JSON. */
interface ChannelRow {
  kind: ChannelKindName;
  config: string;
}

/**
 * Decodes a stored config. Returns null if the config has another shape, from an older version or a manual change; the channel is
 * then broken.
 */
export function readConfig({ kind, config }: ChannelRow): StoredChannelConfig | null {
  return definitionOf(kind).stored.safeParse(parsed(config)).data ?? null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Invalid JSON: return undefined, which no definition accepts, so that the channel counts as broken.
    return undefined;
  }
}

/** Returns the config to store for an entered one. `before` is the config that it replaces; null for a new channel. */
export function configFrom(entered: ChannelConfig, before: StoredChannelConfig | null): StoredChannelConfig {
  const former = before?.kind === entered.kind ? before : null;
  return definitionOf(entered.kind).toStored(entered, former);
}

export function defaultName(config: StoredChannelConfig): string {
  return definitionOf(config.kind).defaultName?.(config) ?? CHANNEL_LABELS[config.kind];
}

export function maskedTarget(config: StoredChannelConfig): string {
  return definitionOf(config.kind).maskedTarget(config);
}

/** Encodes a config as text for the store. `isSameReceiver` compares its receiver with those of other stored channels. */
export function storableConfig(config: StoredChannelConfig) {
  const { kind } = config;
  const definition = definitionOf(kind);
  const receiver = definition.receiverKey(config);
  return {
    kind,
    text: JSON.stringify(config),
    /** Returns whether another channel is of the same kind and has the same receiver; false if its config cannot be decoded. */
    isSameReceiver(other: ChannelRow): boolean {
      const stored = other.kind === kind ? readConfig(other) : null;
      return stored !== null && definition.receiverKey(stored) === receiver;
    },
  };
}

/** Returns the stored config of a webhook with a new signing key; null if the config cannot be decoded. */
export function rotatedConfig(config: string, rotation: Parameters<typeof withNewSecret>[1]): string | null {
  const stored = readConfig({ kind: 'webhook', config });
  return stored?.kind === 'webhook' ? JSON.stringify(withNewSecret(stored, rotation)) : null;
}

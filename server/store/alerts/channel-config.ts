import { z } from 'zod';
import type { ChannelKind } from '../../core/index.ts';
import { storedJsonOrNull } from '../db/stored-json.ts';

/** The config of a channel as the store keeps it. Only `server/channels` decodes it, as it may contain secrets. */
export interface StorableConfig {
  kind: ChannelKind;
  /** JSON. */
  text: string;
  /** Whether another channel reaches the same receiver. */
  isSamePlace(other: { kind: ChannelKind; config: string }): boolean;
}

const mailConfig = storedJsonOrNull(z.object({ address: z.string() }));

/**
 * Returns the address of a mail channel in lower case: suppressions, mail lists and deletion go by it. Null for other kinds and for a
 * config that cannot be decoded; a delivery to such a channel fails and says so.
 */
export function addressOf({ kind, config }: { kind: ChannelKind; config: string }): string | null {
  return kind === 'email' ? (mailConfig(config)?.address.toLowerCase() ?? null) : null;
}

import { z } from 'zod';
import { channelConfigSchema } from './channel-config.ts';
import { lineSchema } from './text.ts';
import { CHANNEL_KIND_NAMES } from './words.ts';

const isoInstant = z.string();

/** Key of the channel that every account has: mail to its own address. Other channels use their id as key. */
export const OWN_MAIL = 'email';
/** How many channels an account may add. */
export const MAX_CHANNELS = 20;
const channelNameSchema = lineSchema(80);

export const addChannelSchema = z.object({
  /** If empty, the server picks a name. */
  name: channelNameSchema.default(''),
  config: channelConfigSchema,
});

/** Fields that are left out keep their value. `config` replaces the whole configuration and must have the same kind. */
export const changeChannelSchema = z.object({
  name: channelNameSchema.min(1, 'Enter a name').optional(),
  enabled: z.boolean().optional(),
  config: channelConfigSchema.optional(),
});

export const channelSchema = z
  .object({
    /** `OWN_MAIL` or an id. */
    key: z.string(),
    kind: z.enum(CHANNEL_KIND_NAMES),
    name: z.string(),
    /** Destination to display: the email address, or what identifies the channel without revealing its secret. */
    target: z.string(),
    /**
     * `unconfirmed`: the recipient has not agreed yet; `off`: switched off by the owner; `gone`: the receiver no longer exists; `failing`:
     * off after five days of failures; `refused`: rejects mail; `broken`: unreadable settings; `plan`: needs Premium.
     */
    state: z.enum([
      'open',
      'unconfirmed',
      'off',
      'gone',
      'failing',
      'refused',
      'unsubscribed',
      'broken',
      'plan',
    ]),
    /** Reason for the state, in the receiver's words; null if the state is reason enough. */
    detail: z.string().nullable(),
    last_delivered_at: isoInstant.nullable(),
    /** First failure since the last success. */
    failing_since: isoInstant.nullable(),
    created_at: isoInstant.nullable(),
  })
  .meta({ id: 'Channel' });
export type ChannelWire = z.infer<typeof channelSchema>;

/** Answer to adding a channel. `secret` is a webhook's Standard Webhooks key (`whsec_…`), shown only here. */
export const channelMadeSchema = z.object({
  channel: channelSchema,
  secret: z.string().nullable().meta({
    description:
      'The key for signatures of a webhook; null for other kinds, and in the answer to a call that is repeated with its Idempotency-Key.',
  }),
});
/** The new signing key. We also sign with the previous key until `previous_until`. */
export const channelSecretSchema = z.object({ secret: z.string(), previous_until: isoInstant });

export const deliverySchema = z
  .object({
    id: z.string(),
    channel_key: z.string(),
    channel_kind: z.enum(CHANNEL_KIND_NAMES),
    channel_name: z.string(),
    /** `held`: waits until quiet hours end or the address is verified. */
    state: z.enum(['waiting', 'held', 'delivered', 'failed', 'superseded']),
    /** The alert in one line, as in a mail's subject. */
    title: z.string(),
    event: z.string(),
    domain: z.object({ id: z.string(), display_name: z.string() }).nullable(),
    detail: z.string().nullable(),
    next_attempt_at: isoInstant.nullable(),
    settled_at: isoInstant.nullable(),
    created_at: isoInstant,
    /** The last 20 attempts, oldest first. */
    attempts: z.array(
      z.object({
        attempt: z.number().int(),
        started_at: isoInstant,
        /** null while it is running, or if its worker was stopped. */
        finished_at: isoInstant.nullable(),
        outcome: z.enum(['delivered', 'failed', 'superseded', 'retry']).nullable(),
        /** An HTTP status, a mail server's reply, or our own reason such as a timeout; never a webhook's response body. */
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery' });
export type DeliveryWire = z.infer<typeof deliverySchema>;
export const deliveryListSchema = z.array(deliverySchema);

import { z } from 'zod';
import { channelConfigSchema } from './channel-config.ts';
import { lineSchema } from './text.ts';
import { CHANNEL_KIND_NAMES } from './words.ts';

const isoInstant = z.string();

/** Key of the channel that every account has: mail to its own address. Other channels use their id as key. */
export const OWN_MAIL = 'email';
/** Maximum number of channels that an account may add. */
export const MAX_CHANNELS = 20;
const channelNameSchema = lineSchema(80);

export const addChannelSchema = z.object({
  /** Name of the channel; if empty, the server picks one. */
  name: channelNameSchema.default(''),
  config: channelConfigSchema,
});

/**
 * Changes to a channel. Omitted fields keep their value. `config` replaces the whole configuration and must have the same kind.
 */
export const changeChannelSchema = z.object({
  name: channelNameSchema.min(1, 'Enter a name').optional(),
  enabled: z.boolean().optional(),
  config: channelConfigSchema.optional(),
});

export const channelSchema = z
  .object({
    /** Key of the channel: `OWN_MAIL` or the id of an added channel. */
    key: z.string(),
    kind: z.enum(CHANNEL_KIND_NAMES),
    name: z.string(),
    /** Destination to display: the email address, or text that identifies the channel without revealing its secret. */
    target: z.string(),
    /**
     * `unconfirmed`: the recipient has not agreed yet; `off`: by the owner; `failing`: off after five days of failures; `refused`:
     * mail is rejected; `unsubscribed`: by the recipient; `broken`: unreadable; `plan`: needs Premium.
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
    /** Reply of the mail server that refused the address; null if none did. */
    detail: z.string().nullable(),
    last_delivered_at: isoInstant.nullable(),
    /** Time of the first failure since the last success; null if there was none. */
    failing_since: isoInstant.nullable(),
    created_at: isoInstant.nullable(),
  })
  .meta({ id: 'Channel' });
/** States of a channel that gets no alerts until its owner repairs it. */
export const DEAD_STATES: readonly ChannelWire['state'][] = ['gone', 'failing', 'refused', 'broken'];
export type ChannelWire = z.infer<typeof channelSchema>;

/** Answer to adding a channel. `secret` is a webhook's Standard Webhooks key (`whsec_…`), shown only in this answer. */
export const channelAddedSchema = z.object({
  channel: channelSchema,
  secret: z.string().nullable().meta({
    description:
      'The signing key of a webhook; null for other kinds of channels, and in the answer to a call that repeats an Idempotency-Key.',
  }),
});
export type ChannelAddedWire = z.infer<typeof channelAddedSchema>;
/** New signing key of a webhook. We also sign with the previous key until `previous_until`. */
export const channelSecretSchema = z.object({ secret: z.string(), previous_until: isoInstant });

export const deliverySchema = z
  .object({
    id: z.string(),
    channel_key: z.string(),
    channel_kind: z.enum(CHANNEL_KIND_NAMES),
    channel_name: z.string(),
    /**
     * State of the delivery. `held`: postponed before its first attempt, for example until quiet hours end or the address is
     * verified.
     */
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
        /** End of the attempt; null while it is running, or if its worker was stopped. */
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

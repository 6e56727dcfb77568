import { z } from 'zod';
import { lineSchema } from './text.ts';

const isoInstant = z.string();

export const CHANNEL_KIND_NAMES = [
  'email',
  'webhook',
  'slack',
  'discord',
  'teams',
  'telegram',
  'pagerduty',
  'ntfy',
] as const;
export type ChannelKindName = (typeof CHANNEL_KIND_NAMES)[number];

/** Key of the channel that every account has: mail to its own address. Other channels use their id as key. */
export const OWN_MAIL = 'email';
/** How many channels an account may add. */
export const MOST_CHANNELS = 20;
const ADDRESS_MAX_LENGTH = 2_048;

function webAddress(message: string, accepts: (url: URL) => boolean = () => true) {
  return lineSchema(ADDRESS_MAX_LENGTH).superRefine((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const refuse = (why: string) => context.addIssue({ code: 'custom', message: why });
    if (!url || !['https:', 'http:'].includes(url.protocol) || !accepts(url)) refuse(message);
    else if (url.username !== '' || url.password !== '' || url.hash !== '')
      refuse('An address without user name, password or #');
  });
}
const isAt = (url: URL, host: RegExp) =>
  url.protocol === 'https:' && url.port === '' && host.test(url.hostname);

const SLACK_ADDRESS = webAddress(
  'A Slack webhook address begins with https://hooks.slack.com/',
  (url) => isAt(url, /^hooks\.slack(?:-gov)?\.com$/) && url.pathname.startsWith('/services/'),
);
const DISCORD_ADDRESS = webAddress(
  'A Discord webhook address begins with https://discord.com/api/webhooks/',
  (url) =>
    isAt(url, /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/) && url.pathname.startsWith('/api/webhooks/'),
);
const TEAMS_ADDRESS = webAddress(
  'Copy the whole address that the workflow shows; it is an https address',
  (url) => url.protocol === 'https:',
);

/** Settings of each kind of channel as the user enters them. The API never returns the secrets among them. */
export const channelConfigSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('email'), address: z.email('Invalid email address').max(254) }),
  z.object({ kind: z.literal('webhook'), url: webAddress('Enter an http or https address') }),
  z.object({ kind: z.literal('slack'), url: SLACK_ADDRESS }),
  z.object({ kind: z.literal('discord'), url: DISCORD_ADDRESS }),
  z.object({ kind: z.literal('teams'), url: TEAMS_ADDRESS }),
  z.object({
    kind: z.literal('telegram'),
    bot_token: lineSchema(100).regex(/^\d{5,20}:[\w-]{30,60}$/, 'A bot token looks like 123456789:AA…'),
    chat_id: lineSchema(64).regex(/^(?:-?\d{1,20}|@\w{4,32})$/, 'A chat id is a number, or @ and a name'),
  }),
  z.object({
    kind: z.literal('pagerduty'),
    routing_key: lineSchema(32).regex(/^[\da-zA-Z]{32}$/, 'An integration key has 32 letters and digits'),
    region: z.enum(['us', 'eu']).default('us'),
  }),
  z.object({
    kind: z.literal('ntfy'),
    server: webAddress('Enter an http or https address').default('https://ntfy.sh'),
    topic: lineSchema(64).regex(/^[\w-]{1,64}$/, 'A topic has letters, digits, - and _'),
    access_token: lineSchema(200)
      .regex(/^[\x21-\x7e]*$/, 'An access token has no spaces')
      .optional(),
  }),
]);
export type ChannelConfig = z.infer<typeof channelConfigSchema>;

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
     * `unconfirmed`: the recipient has not agreed yet; `off`: by the owner; `gone`: the receiver said that it no longer
     * exists; `failing`: failed for five days; `refused`: the address rejected mail; `plan`: needs Premium.
     */
    state: z.enum(['open', 'unconfirmed', 'off', 'gone', 'failing', 'refused', 'unsubscribed', 'plan']),
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
        /** An HTTP status or a mail server's reply; never the response body of a webhook. */
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery' });
export type DeliveryWire = z.infer<typeof deliverySchema>;
export const deliveryListSchema = z.array(deliverySchema);

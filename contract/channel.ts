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

/** The key of the channel that every account has: mail to its own address. The others go by their ids. */
export const OWN_MAIL = 'email';
/** How many an account may add. */
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

/** What each kind of channel needs, as a person types it in. Secrets are never sent back. */
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
  /** Empty: named after what it is. */
  name: channelNameSchema.default(''),
  config: channelConfigSchema,
});

/** What is left out stays as it is. A config replaces the one before, of the same kind. */
export const changeChannelSchema = z.object({
  name: channelNameSchema.min(1, 'Enter a name').optional(),
  enabled: z.boolean().optional(),
  config: channelConfigSchema.optional(),
});

export const channelSchema = z
  .object({
    /** `OWN_MAIL`, or an id. */
    key: z.string(),
    kind: z.enum(CHANNEL_KIND_NAMES),
    name: z.string(),
    /** Where it leads, for people: the address of an email, else what tells one from another without its secret. */
    target: z.string(),
    /**
     * `open`: it gets alerts; `unconfirmed`: its reader has not agreed yet; `off`: by its owner; `gone`: its receiver answered that
     * it is; `failing`: five days without success; `refused`: its address refused mail; `unsubscribed`; `plan`: needs Premium.
     */
    state: z.enum(['open', 'unconfirmed', 'off', 'gone', 'failing', 'refused', 'unsubscribed', 'plan']),
    /** Why, in the words of who refused; null where the state says it all. */
    detail: z.string().nullable(),
    last_delivered_at: isoInstant.nullable(),
    /** The first failure since the last success. */
    failing_since: isoInstant.nullable(),
    created_at: isoInstant.nullable(),
  })
  .meta({ id: 'Channel' });
export type ChannelWire = z.infer<typeof channelSchema>;

/** A webhook's key, shown when it is made; `whsec_…` as in Standard Webhooks. */
export const channelMadeSchema = z.object({
  channel: channelSchema,
  secret: z.string().nullable().meta({
    description:
      'The key for signatures of a webhook; null for other kinds, and in the answer to a call that is repeated with its Idempotency-Key.',
  }),
});
/** The new key. What it replaces signs beside it until then. */
export const channelSecretSchema = z.object({ secret: z.string(), previous_until: isoInstant });

export const deliverySchema = z
  .object({
    id: z.string(),
    channel_key: z.string(),
    channel_kind: z.enum(CHANNEL_KIND_NAMES),
    channel_name: z.string(),
    /** `held`: it waits for the end of quiet hours, or for its address to be verified. */
    state: z.enum(['waiting', 'held', 'delivered', 'failed', 'superseded']),
    /** What the alert says, as the subject of a mail. */
    title: z.string(),
    event: z.string(),
    domain: z.object({ id: z.string(), display_name: z.string() }).nullable(),
    detail: z.string().nullable(),
    next_attempt_at: isoInstant.nullable(),
    settled_at: isoInstant.nullable(),
    created_at: isoInstant,
    /** Oldest first, the last 20. */
    attempts: z.array(
      z.object({
        attempt: z.number().int(),
        started_at: isoInstant,
        /** null while it runs, and where its worker was stopped. */
        finished_at: isoInstant.nullable(),
        outcome: z.enum(['delivered', 'failed', 'superseded', 'retry']).nullable(),
        /** A status or the words of a mail server; never what a webhook's receiver sent. */
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery' });
export type DeliveryWire = z.infer<typeof deliverySchema>;
export const deliveryListSchema = z.array(deliverySchema);

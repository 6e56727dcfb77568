import { z } from 'zod';
import { lineSchema } from './text.ts';

const URL_MAX_LENGTH = 2_048;

function urlSchema(message: string, accepts: (url: URL) => boolean = () => true) {
  return lineSchema(URL_MAX_LENGTH).superRefine((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const refuse = (reason: string) => context.addIssue({ code: 'custom', message: reason });
    if (!url || !['https:', 'http:'].includes(url.protocol) || !accepts(url)) refuse(message);
    else if (url.username !== '' || url.password !== '' || url.hash !== '')
      refuse('Enter an address without a user name, a password or #');
  });
}
const isHttpsOn = (url: URL, host: RegExp) =>
  url.protocol === 'https:' && url.port === '' && host.test(url.hostname);

const slackUrlSchema = urlSchema(
  'A Slack webhook address starts with https://hooks.slack.com/',
  (url) => isHttpsOn(url, /^hooks\.slack(?:-gov)?\.com$/) && url.pathname.startsWith('/services/'),
);
const discordUrlSchema = urlSchema(
  'A Discord webhook address starts with https://discord.com/api/webhooks/',
  (url) =>
    isHttpsOn(url, /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/) &&
    url.pathname.startsWith('/api/webhooks/'),
);
const serverUrlSchema = urlSchema('Enter an http or https address');
const accessTokenSchema = lineSchema(1_000).regex(/^[\x21-\x7e]*$/, 'An access token cannot contain spaces');
const teamsUrlSchema = urlSchema(
  'Copy the full address from the workflow. It starts with https://',
  (url) => url.protocol === 'https:',
);

/** Settings of each kind of channel, as its owner enters them. The API never returns the secrets among them. */
export const channelConfigSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('email'), address: z.email('Invalid email address').max(254) }),
  z.object({
    kind: z.literal('webhook'),
    url: serverUrlSchema,
    method: z.enum(['POST', 'PUT']).optional(),
  }),
  z.object({ kind: z.literal('slack'), url: slackUrlSchema }),
  z.object({ kind: z.literal('discord'), url: discordUrlSchema }),
  z.object({ kind: z.literal('teams'), url: teamsUrlSchema }),
  z.object({
    kind: z.literal('telegram'),
    bot_token: lineSchema(100).regex(/^\d{5,20}:[\w-]{30,60}$/, 'A bot token looks like 123456789:AA…'),
    chat_id: lineSchema(64).regex(
      /^(?:-?\d{1,20}|@\w{4,32})$/,
      'A chat ID is a number, or @ followed by a name',
    ),
  }),
  z.object({
    kind: z.literal('pagerduty'),
    routing_key: lineSchema(32).regex(/^[\da-zA-Z]{32}$/, 'An integration key has 32 letters and digits'),
    region: z.enum(['us', 'eu']).default('us'),
  }),
  z.object({
    kind: z.literal('ntfy'),
    server: serverUrlSchema.default('https://ntfy.sh'),
    topic: lineSchema(64).regex(/^[\w-]{1,64}$/, 'A topic can contain only letters, digits, - and _'),
    access_token: accessTokenSchema.optional(),
  }),
  z.object({
    kind: z.literal('matrix'),
    homeserver: urlSchema(
      'Enter an http or https address without a question mark',
      (url) => !url.href.includes('?'),
    ),
    // Room IDs of version 12 and later have no server name (MSC4291).
    room_id: lineSchema(255).regex(/^![^:\s]+(?::\S+)?$/, 'A room ID looks like !AbCdEfGh:example.com'),
    access_token: accessTokenSchema.min(1, 'Enter an access token'),
  }),
]);
export type ChannelConfig = z.infer<typeof channelConfigSchema>;

import { z } from 'zod';
import { lineSchema } from './text.ts';

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

/**
 * The kinds of channels, each with what a person enters for one. The API never sends the secrets among it back. Every room may import
 * the names from here; the order is the one in which the page offers the kinds.
 */
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

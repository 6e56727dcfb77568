import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type ChannelDefinition, type EnteredConfig, storedAddress } from '../definition.ts';

const stored = z.object({
  kind: z.literal('webhook'),
  url: storedAddress,
  method: z.enum(['POST', 'PUT']).optional(),
  /** Signing keys, newest first. */
  secrets: z.array(z.object({ secret: z.string(), until: z.number().nullable() })),
});
type WebhookConfig = z.infer<typeof stored>;

/**
 * A signing key in the format of Standard Webhooks. `until` is the time when it stops signing, ms UTC; null for the
 * current key.
 */
export type WebhookSecret = WebhookConfig['secrets'][number];

/**
 * Channel to the user's own program, with requests as in Standard Webhooks. Only status 410 is final: users may fix the cause of
 * any other status while deliveries are retried.
 */
export const webhook: ChannelDefinition<EnteredConfig<'webhook'>, WebhookConfig> = {
  stored,
  enteredAddress: ({ url }) => url,
  /** Keeps the keys if the URL changes, and the method if none was entered. */
  toStored: (entered, before) => ({
    ...(before?.method && { method: before.method }),
    ...entered,
    secrets: before?.secrets ?? [{ secret: newWebhookSecret(), until: null }],
  }),
  receiverKey: ({ url }) => new URL(url).href,
  maskedTarget: ({ url }) => maskedAddress(new URL(url)),
  defaultName: ({ url }) => new URL(url).host,
  receiver: {
    subject: 'The receiver',
    posting({ url, method = 'POST', secrets }, { content, messageId: id, now }) {
      const body = JSON.stringify({
        type: content.event,
        timestamp: new Date(content.alertedAt).toISOString(),
        data: content.data,
      });
      return { method, url, headers: signatureHeaders({ id, now, body }, secrets), body };
    },
    refusals: { 410: { why: 'it no longer accepts messages', cause: 'gone' } },
    otherRefusals: 'retry',
  },
};

const SHOWN_PATH = 12;

/** Cuts the path to 12 characters and drops the query and user info: these parts often contain a key. */
function maskedAddress({ origin, pathname, search }: URL): string {
  const path = pathname === '/' ? '' : pathname;
  return path.length <= SHOWN_PATH && search === ''
    ? `${origin}${path}`
    : `${origin}${path.slice(0, SHOWN_PATH)}…`;
}

const KEY_BYTES = 32;
const PREFIX = 'whsec_';

/** Generates a signing key: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;

/** Maximum number of signing keys, because every valid key adds a signature to each message. */
const MAX_SECRETS = 5;

/**
 * Returns a config whose current key is `secret`. The previous key signs until `until` (ms UTC), and older keys until the
 * time that was set when they were replaced. Drops expired keys, and the oldest ones above `MAX_SECRETS`.
 */
export function withNewSecret(
  config: WebhookConfig,
  { secret, until, now }: { secret: string; until: number; now: number },
): WebhookConfig {
  const [newest, ...former] = config.secrets;
  const stillValid = former.filter((one) => one.until !== null && one.until > now);
  const phasedOut = newest ? [{ ...newest, until }, ...stillValid] : [];
  return { ...config, secrets: [{ secret, until: null }, ...phasedOut].slice(0, MAX_SECRETS) };
}

/**
 * Returns the headers of Standard Webhooks 1.0.0 for one attempt at `now` (ms UTC), signed with every key that is valid at that
 * time. After a rotation the previous key stays valid for a while, so the receiver can switch at any time until it expires.
 */
export function signatureHeaders(
  message: { id: string; now: number; body: string },
  secrets: readonly WebhookSecret[],
): Record<string, string> {
  const seconds = Math.floor(message.now / 1_000);
  const signed = `${message.id}.${seconds}.${message.body}`;
  const signatures = secrets
    .filter(({ until }) => until === null || until > message.now)
    .map(({ secret }) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

import { z } from 'zod';
import type { AccountMail } from '../../core/account-mail.ts';
import { storedJson } from '../db/stored-json.ts';
import { ALERT_PROBLEMS } from '../../../contract/check-words.ts';
import { CHANNEL_KIND_NAMES } from '../../../contract/words.ts';

const endpointShape = { host: z.string(), port: z.number(), target: z.string().optional() };
const listed = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ first: z.array(z.object({ ...endpointShape, ...shape })), more: z.number() });
const notAfter = z.number();

const mail = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('verify_email'), url: z.string() }),
  z.object({ kind: z.literal('reset_password'), url: z.string(), expiresAt: z.number() }),
  z.object({ kind: z.literal('password_changed') }),
  z.object({
    kind: z.literal('account_cleared'),
    domains: z.number(),
    removed: z.partialRecord(
      z.enum([
        'channels',
        'maintenance_windows',
        'calendar_feeds',
        'api_tokens',
        'status_pages',
        'badges',
        'authorities',
      ]),
      z.number(),
    ),
  }),
  z.object({
    kind: z.literal('premium_ended'),
    paused: z.array(z.object(endpointShape)),
    source: z.enum(['none', 'deployment', 'grant', 'subscription', 'trial']),
  }),
  z.object({
    kind: z.literal('feedback'),
    from: z.object({ name: z.string(), email: z.string(), premium: z.boolean() }),
    message: z.string(),
  }),
  z.object({ kind: z.literal('reached_you'), more: z.number(), ...endpointShape }),
  z.object({ kind: z.literal('confirm_recipient'), url: z.string(), accountName: z.string() }),
  z.object({
    kind: z.literal('channel_disabled'),
    name: z.string(),
    channel: z.enum(CHANNEL_KIND_NAMES),
    reason: z.enum(['gone', 'failing', 'refused']),
    detail: z.string(),
  }),
  z.object({
    kind: z.literal('digest'),
    from: z.number(),
    until: z.number(),
    watched: z.number(),
    attention: listed({
      concern: z.enum(['expiry', 'revoked', 'untrusted', 'down', 'unreachable']),
      notAfter: notAfter.nullable(),
    }),
    expiring: listed({ notAfter }),
    failing: listed({ line: z.string(), expectedAt: z.number() }).default({ first: [], more: 0 }),
    renewed: listed({ notAfter }),
    incidents: listed({
      problem: z.enum(ALERT_PROBLEMS),
      startedAt: z.number(),
      endedAt: z.number().nullable(),
    }),
    uptime: z.array(z.object({ ...endpointShape, percent: z.number() })),
  }),
  z.object({
    kind: z.literal('operator_alarm'),
    code: z.string(),
    detail: z.string(),
    since: z.number(),
  }),
]);

const fields = storedJson('a mail', z.record(z.string(), z.unknown()));

/**
 * Decodes a mail from its kind and the JSON with its other fields. @throws ZodError if the fields do not match the kind, and
 * StoredJsonError if `data` is no JSON object
 */
export function readMail(kind: string, data: string | null): AccountMail {
  return mail.parse({ ...fields(data ?? '{}'), kind });
}

import { z } from 'zod';
import type { AlertFacts } from '../../core/alerting/alert.ts';
import type { ChannelKind } from '../../core/alerting/route.ts';
import {
  type AlertSettings,
  DEFAULT_ALERT_SETTINGS,
  type DomainAlertSettings,
} from '../../core/alerting/settings.ts';
import { storedJson, storedJsonOrNull } from '../db/stored-json.ts';
import { CLIENTS, OPTIONAL_EVENTS } from '../../../contract/check-words.ts';

const certificate = z
  .object({
    fingerprint: z.string(),
    notBefore: z.number(),
    notAfter: z.number(),
    role: z.enum(['leaf', 'intermediate']),
    name: z.string(),
  })
  .nullable();

const facts = z.object({
  certificate: certificate.optional(),
  asOf: z.number().optional(),
  message: z.string().nullable().optional(),
  fix: z.string().nullable().optional(),
  successor: certificate.optional(),
  registration: z
    .object({ domain: z.string(), expiresAt: z.number(), registrar: z.string().nullable() })
    .exactOptional(),
  renewal: z.object({ expectedAt: z.number(), zoneRecord: z.string().nullable() }).exactOptional(),
  refusal: z.object({ from: z.number(), clients: z.array(z.enum(CLIENTS)) }).exactOptional(),
  dueAt: z.number().exactOptional(),
  startedAt: z.number().optional(),
  endedAt: z.number().nullable().optional(),
});
const readFacts = storedJson('facts of an alert or an incident', facts);

/**
 * Decodes the facts of an alert or an incident. Rows of older versions lack some facts, which come from other columns:
 * times from `at` (ms UTC), the text from `message`.
 */
export function readAlertFacts(
  text: string,
  { at, message = null }: { at: number; message?: string | null },
): AlertFacts {
  const stored = readFacts(text);
  return {
    certificate: stored.certificate ?? null,
    asOf: stored.asOf ?? at,
    message: stored.message ?? message,
    fix: stored.fix ?? null,
    successor: stored.successor ?? null,
    ...(stored.dueAt !== undefined && { dueAt: stored.dueAt }),
    ...(stored.registration && { registration: stored.registration }),
    ...(stored.renewal && { renewal: stored.renewal }),
    ...(stored.refusal && { refusal: stored.refusal }),
    startedAt: stored.startedAt ?? at,
    endedAt: stored.endedAt ?? null,
  };
}

const SETTINGS = z.object({
  channels: z.array(z.string()).nullable(),
  steps: z
    .array(z.union([z.templateLiteral([z.number(), 'd']), z.templateLiteral([z.number(), '%'])]))
    .nullable(),
  quietHours: z
    .object({ fromMinute: z.number(), toMinute: z.number(), criticalAlways: z.boolean() })
    .nullable(),
  muted: z.array(z.enum(OPTIONAL_EVENTS)),
});
const readSettings = storedJson('alert settings of an account', SETTINGS);
const readOwn: (text: string) => DomainAlertSettings = storedJson(
  'alert settings of a domain',
  z.object({
    channels: SETTINGS.shape.channels.exactOptional(),
    steps: SETTINGS.shape.steps.exactOptional(),
    quietHours: SETTINGS.shape.quietHours.exactOptional(),
    muted: SETTINGS.shape.muted.exactOptional(),
  }),
);

/** Decodes the alert settings of an account. Returns the defaults for null. */
export function parseAccountSettings(text: string | null): AlertSettings {
  return text === null ? DEFAULT_ALERT_SETTINGS : readSettings(text);
}

/** Decodes the alert settings of a domain. Returns null if it has none of its own. */
export function parseDomainSettings(text: string | null): DomainAlertSettings | null {
  return text === null ? null : readOwn(text);
}

const mailConfig = storedJsonOrNull(z.object({ address: z.string() }));

/**
 * Returns the address of an email channel in lower case, the form that suppressions, mail lists and account deletion use. Returns
 * null for other kinds of channels, and if the config cannot be decoded; deliveries to such an email channel fail.
 */
export function addressOf({ kind, config }: { kind: ChannelKind; config: string }): string | null {
  return kind === 'email' ? (mailConfig(config)?.address.toLowerCase() ?? null) : null;
}

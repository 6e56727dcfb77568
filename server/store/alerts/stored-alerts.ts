import { z } from 'zod';
import {
  type AlertFacts,
  type AlertSettings,
  DEFAULT_ALERT_SETTINGS,
  type DomainAlertSettings,
} from '../../core/index.ts';
import { storedJson } from '../db/stored-json.ts';
import { MUTABLE_EVENTS } from '../../../contract/words.ts';

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
  certificate: certificate.default(null),
  asOf: z.number(),
  message: z.string().nullable().default(null),
  fix: z.string().nullable().default(null),
  successor: certificate.default(null),
  startedAt: z.number(),
  endedAt: z.number().nullable().default(null),
});

/** Decodes the facts of an alert. */
export const readAlertFacts: (text: string) => AlertFacts = storedJson('facts of an alert', facts);

/** Decodes the facts of an incident; older rows have only some of them, and their columns say the rest. */
export const readIncidentFacts: (text: string) => {
  [Name in keyof AlertFacts]?: AlertFacts[Name] | undefined;
} = storedJson(
  'facts of an incident',
  z.object({
    certificate: certificate.optional(),
    asOf: z.number().optional(),
    message: z.string().nullable().optional(),
    fix: z.string().nullable().optional(),
    successor: certificate.optional(),
    startedAt: z.number().optional(),
  }),
);

const SETTINGS = z.object({
  channels: z.array(z.string()).nullable(),
  steps: z
    .array(z.union([z.templateLiteral([z.number(), 'd']), z.templateLiteral([z.number(), '%'])]))
    .nullable(),
  quietHours: z
    .object({ fromMinute: z.number(), toMinute: z.number(), criticalAlways: z.boolean() })
    .nullable(),
  muted: z.array(z.enum(MUTABLE_EVENTS)),
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

/** Decodes the alert settings of an account; null: the defaults. */
export function parseSettings(text: string | null): AlertSettings {
  return text === null ? DEFAULT_ALERT_SETTINGS : readSettings(text);
}

/** Decodes the alert settings of a domain; null: it has none of its own. */
export function parseOwn(text: string | null): DomainAlertSettings | null {
  return text === null ? null : readOwn(text);
}

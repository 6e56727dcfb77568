import { z } from 'zod';
import type { AlertFacts } from '../../core/index.ts';
import { storedJson } from '../db/stored-json.ts';

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

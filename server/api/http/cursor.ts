import { z } from 'zod';
import type { StoryCursor } from '../../store/checks/certificate-story.ts';
import type { CertificateCursor } from '../../store/monitors/certificate-list.ts';
import type { DeadlineCursor } from '../../store/monitors/deadline-list.ts';
import type { MonitorCursor } from '../../store/monitors/monitor-filter.ts';
import { type Refusal, refuse } from './problem.ts';

/**
 * Encodes a list position as an opaque cursor (base64url JSON). The cursor needs no signature: it contains only values
 * of the last row, which the client has seen, and a forged cursor selects only rows of the client's own list.
 */
export const writeCursor = (position: object): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const position = schema.safeParse(value);
  return position.success
    ? position.data
    : refuse(
        'invalid_request',
        '“cursor” must be the next_cursor of the previous answer, and the order must be the same.',
      );
}

const instant = z.number().int().min(-8.64e15).max(8.64e15);
const id = z.string().max(100);
const text = z
  .string()
  .max(300)
  .regex(/^[^\0]*$/);

const positionSchemas = {
  newest: z.strictObject({ sort: z.literal('newest'), createdAt: instant, id }),
  soonest: z.strictObject({ sort: z.literal('soonest'), notAfter: instant.nullable(), id }),
  worst: z.strictObject({
    sort: z.literal('worst'),
    urgency: z.number().int().min(0).max(100),
    notAfter: instant.nullable(),
    id,
  }),
  name: z.strictObject({
    sort: z.literal('name'),
    host: text,
    port: z.number().int().min(0).max(65_535),
    id,
  }),
} satisfies Record<MonitorCursor['sort'], z.ZodType<MonitorCursor>>;

/**
 * Reads a cursor of the domain list. Returns null if there is no cursor, and a refusal if it is invalid for this order.
 */
export function readMonitorCursor(
  cursor: string | undefined,
  sort: MonitorCursor['sort'],
): MonitorCursor | Refusal | null {
  return cursor === undefined ? null : readCursor<MonitorCursor>(cursor, positionSchemas[sort]);
}

const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);
const certificatePositionSchemas = {
  soonest: z.strictObject({ sort: z.literal('soonest'), notAfter: instant, fingerprint }),
  name: z.strictObject({ sort: z.literal('name'), name: text, fingerprint }),
  issuer: z.strictObject({ sort: z.literal('issuer'), issuer: text, fingerprint }),
  domains: z.strictObject({ sort: z.literal('domains'), domains: z.number().int().min(1), fingerprint }),
} satisfies Record<CertificateCursor['sort'], z.ZodType<CertificateCursor>>;

/**
 * Reads a cursor of the list of certificates. Returns null if there is no cursor, and a refusal if it is invalid for this order.
 */
export function readCertificateCursor(
  cursor: string | undefined,
  sort: CertificateCursor['sort'],
): CertificateCursor | Refusal | null {
  return cursor === undefined
    ? null
    : readCursor<CertificateCursor>(cursor, certificatePositionSchemas[sort]);
}

const deadlinePositionSchema = z.strictObject({
  fromAt: instant,
  rule: id,
  isDone: z.number().int().min(0).max(1),
  notAfter: instant,
  fingerprint,
});

/** Reads a cursor of the certificates with deadlines. Returns null if there is no cursor, and a refusal if it is invalid. */
export function readDeadlineCursor(cursor: string | undefined): DeadlineCursor | Refusal | null {
  return cursor === undefined ? null : readCursor<DeadlineCursor>(cursor, deadlinePositionSchema);
}

const storyPositionSchema = z.strictObject({
  id,
  host: text,
  isDone: z.boolean(),
  firstSeenAt: instant.nullable(),
});

/** Reads a cursor of the domains of a certificate. Returns null if there is no cursor, and a refusal if it is invalid. */
export function readStoryCursor(cursor: string | undefined): StoryCursor | Refusal | null {
  return cursor === undefined ? null : readCursor<StoryCursor>(cursor, storyPositionSchema);
}

const timePositionSchema = z.strictObject({ at: instant, id });

/**
 * Reads a cursor of a list sorted by time, newest first. Returns null if there is no cursor, and a refusal if it is
 * invalid.
 */
export function readTimeCursor(
  cursor: string | undefined,
): z.infer<typeof timePositionSchema> | Refusal | null {
  return cursor === undefined ? null : readCursor(cursor, timePositionSchema);
}

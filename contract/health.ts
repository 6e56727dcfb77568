import { z } from 'zod';

export const healthSchema = z.object({ status: z.literal('ok') });

const latenessFields = {
  /** Time in seconds by which the oldest due check and the oldest due alert are late; 0 if none is due. */
  checks_seconds: z.number(),
  alerts_seconds: z.number(),
  /** Codes of active alarms; present only for callers who may read the metrics. */
  alarms: z.array(z.string()).optional(),
};

export const latenessSchema = z.object({ status: z.literal('on_time'), ...latenessFields });
/** Extension members of the problem `late` (RFC 9457 §3.2). */
const latenessMembers = z.object(latenessFields);
export type LatenessMembers = z.infer<typeof latenessMembers>;

import { z } from 'zod';

export const healthSchema = z.object({ status: z.literal('ok') });

const latenessFields = {
  /** For how long the oldest due check, and the oldest alert that could have left, have waited; 0 where none does. */
  checks_seconds: z.number(),
  alerts_seconds: z.number(),
  /** Codes of the alarms that stand; only for who may read the metrics. */
  alarms: z.array(z.string()).optional(),
};

export const latenessSchema = z.object({ status: z.literal('on_time'), ...latenessFields });
/** Beside those of every problem, members of the problem `late` (RFC 9457 §3.2). */
const latenessMembers = z.object(latenessFields);
export type LatenessMembers = z.infer<typeof latenessMembers>;

import { z } from 'zod';

export const healthSchema = z.object({ status: z.literal('ok') });

const latenessFields = {
  /** Age in seconds of the oldest overdue check and of the oldest alert ready to be sent; 0 if there is none. */
  checks_seconds: z.number(),
  alerts_seconds: z.number(),
  /** Codes of active alarms; only for callers who may read the metrics. */
  alarms: z.array(z.string()).optional(),
};

export const latenessSchema = z.object({ status: z.literal('on_time'), ...latenessFields });
/** Extension members of the problem `late` (RFC 9457 §3.2). */
const latenessMembers = z.object(latenessFields);
export type LatenessMembers = z.infer<typeof latenessMembers>;

import { z } from 'zod';
import { type Call, envelope } from './call.ts';
import { publicConfigSchema } from '../public-config.ts';

const healthSchema = z.object({ status: z.literal('ok') });

const latenessFields = {
  /** Time in seconds by which the oldest due check and the oldest due alert are late; 0 if none is due. */
  checks_seconds: z.number(),
  alerts_seconds: z.number(),
  /** Codes of active alarms; present only for callers who may read the metrics. */
  alarms: z.array(z.string()).optional(),
};

const latenessSchema = z.object({ status: z.literal('on_time'), ...latenessFields });
/** Extension members of the problem `late` (RFC 9457 §3.2). */
const latenessMembers = z.object(latenessFields);
export type LatenessMembers = z.infer<typeof latenessMembers>;

export const events = {
  method: 'get',
  path: '/events',
  access: 'session',
  summary:
    'Stream server-sent events `domain`, `domain_removed`, `alerts`, `account` and `session_ended` until the session ends',
  response: null,
  mediaType: 'text/event-stream',
  status: 200,
  problems: [],
} as const satisfies Call;

export const publicConfig = {
  method: 'get',
  path: '/config',
  access: 'public',
  summary: 'Get the public settings of this deployment',
  response: envelope(publicConfigSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const health = {
  method: 'get',
  path: '/health',
  access: 'public',
  summary: 'Check that the server and its database work',
  response: healthSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const healthLive = {
  method: 'get',
  path: '/health/live',
  access: 'public',
  summary: 'Check that the process is alive, for liveness probes; restart it if it does not answer',
  response: healthSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const healthReady = {
  method: 'get',
  path: '/health/ready',
  access: 'public',
  summary:
    'Check that the process can take requests, for readiness probes: its database answers and it is not shutting down',
  response: healthSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const healthLate = {
  method: 'get',
  path: '/health/late',
  access: 'public',
  summary: 'Check that no check or alert of the deployment is overdue',
  response: latenessSchema,
  status: 200,
  problems: ['late'],
} as const satisfies Call;

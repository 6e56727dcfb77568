import { type Call, wrapped } from './call.ts';
import { previewCheckRequestSchema, previewCheckSchema } from '../preview-check.ts';
import { healthSchema, latenessSchema } from '../health.ts';
import { publicConfigSchema } from '../public-config.ts';

export const DEPLOYMENT_CALLS = {
  events: {
    method: 'get',
    path: '/events',
    access: 'session',
    summary:
      'Server-sent events `domain`, `domain_removed`, `account` and `session_ended`; ends with the session',
    response: null,
    mediaType: 'text/event-stream',
    status: 200,
    problems: [],
  },
  glance: {
    method: 'post',
    path: '/try',
    access: 'public',
    summary: 'Look at a host once, without an account; nothing of it is kept',
    body: previewCheckRequestSchema,
    response: wrapped(previewCheckSchema),
    status: 200,
    problems: ['invalid_host', 'host_refused', 'not_found'],
  },
  publicConfig: {
    method: 'get',
    path: '/config',
    access: 'public',
    summary: 'What the page needs to know of this deployment',
    response: wrapped(publicConfigSchema),
    status: 200,
    problems: [],
  },
  health: {
    method: 'get',
    path: '/health',
    access: 'public',
    summary: 'Whether the server can do its work',
    response: healthSchema,
    status: 200,
    problems: [],
  },
  healthLive: {
    method: 'get',
    path: '/health/live',
    access: 'public',
    summary: 'Whether the process is alive, whatever else is not; where it does not answer, start it anew',
    response: healthSchema,
    status: 200,
    problems: [],
  },
  healthReady: {
    method: 'get',
    path: '/health/ready',
    access: 'public',
    summary: 'Whether requests should come to this process: its database answers, and it is not about to end',
    response: healthSchema,
    status: 200,
    problems: [],
  },
  healthLate: {
    method: 'get',
    path: '/health/late',
    access: 'public',
    summary: 'Whether checks and alerts of the whole deployment are on time',
    response: latenessSchema,
    status: 200,
    problems: ['late'],
  },
} as const satisfies Record<string, Call>;

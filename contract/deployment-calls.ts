import { type Call, wrapped } from './call.ts';
import { healthSchema } from './health.ts';
import { publicConfigSchema } from './public-config.ts';

export const DEPLOYMENT_CALLS = {
  events: {
    method: 'get',
    path: '/events',
    access: 'session',
    summary:
      'Server-sent events `domain`, `domain_removed`, `account` and `session_ended`; ends with the session',
    response: null,
    status: 200,
    problems: [],
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
} as const satisfies Record<string, Call>;

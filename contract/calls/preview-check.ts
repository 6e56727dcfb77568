import { previewCheckRequestSchema, previewCheckSchema } from '../preview-check.ts';
import { type Call, envelope } from './call.ts';

export const previewCheck = {
  method: 'post',
  path: '/try',
  access: 'public',
  summary: 'Check a host once without an account; nothing is stored',
  body: previewCheckRequestSchema,
  response: envelope(previewCheckSchema),
  status: 200,
  problems: ['invalid_host', 'host_refused', 'not_found'],
} as const satisfies Call;

import { previewAnswerSchema, previewCheckRequestSchema } from '../preview-check.ts';
import { type Call, wrapped } from './call.ts';

export const previewCheck = {
  method: 'post',
  path: '/try',
  access: 'public',
  summary:
    'Check a host once without an account; nothing is stored. With `Prefer: handling=lenient`, a host that is not valid gets `refused` instead of 422',
  body: previewCheckRequestSchema,
  response: wrapped(previewAnswerSchema),
  status: 200,
  problems: ['invalid_host', 'host_refused', 'not_found'],
} as const satisfies Call;

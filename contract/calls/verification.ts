import { verifyEmailSchema } from '../identity.ts';
import { type Call, emptyEnvelope } from './call.ts';

// Calls of the built-in identity provider that verify the email address of the signed-in user.

export const sendVerification = {
  method: 'post',
  path: '/identity/send-verification',
  access: 'session',
  summary: 'Send a mail with a link that verifies the signed-in user’s address',
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

export const verifyEmail = {
  method: 'post',
  path: '/identity/verify-email',
  access: 'session',
  summary: 'Verify the email address with the token of the mailed link, in a session of the same account',
  body: verifyEmailSchema,
  response: emptyEnvelope,
  status: 200,
  problems: ['invalid_token'],
} as const satisfies Call;

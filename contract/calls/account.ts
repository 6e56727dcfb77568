import { z } from 'zod';
import { sessionListSchema, timeZoneUpdateSchema, userSchema, userUpdateSchema } from '../account.ts';
import { type Call, emptyEnvelope, envelope, idParams } from './call.ts';
import { FEEDBACK_MAX_LENGTH } from '../words.ts';

// Calls that change or delete the user's account, list its sessions, export its data and send feedback.

export const updateUser = {
  method: 'patch',
  path: '/user/update',
  access: 'session',
  summary: 'Change the name and company of the user',
  body: userUpdateSchema,
  response: envelope(userSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const setTimeZone = {
  method: 'patch',
  path: '/user/time_zone',
  access: 'session',
  summary: 'Set the time zone for dates in mails, shown beside UTC; null shows UTC only',
  body: timeZoneUpdateSchema,
  response: envelope(userSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const deleteUser = {
  method: 'delete',
  path: '/user/me',
  access: 'session',
  summary: 'Cancel the subscription and delete the account, its identity and all its data',
  response: emptyEnvelope,
  status: 200,
  problems: ['cancel_failed', 'identity_unavailable'],
} as const satisfies Call;

export const premium = {
  method: 'get',
  path: '/user/premium',
  access: 'session',
  scope: 'read',
  summary: 'Get whether the account has Premium',
  response: envelope(z.boolean()),
  status: 200,
  problems: [],
} as const satisfies Call;

export const startTrial = {
  method: 'post',
  path: '/user/trial',
  access: 'session',
  summary: 'Start the trial of Premium, once for each address; `not_found` if this deployment sells nothing',
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found', 'already_subscribed', 'trial_used'],
} as const satisfies Call;

export const listSessions = {
  method: 'get',
  path: '/user/sessions',
  access: 'session',
  summary: 'List the sessions of the account, most recently used first',
  response: envelope(sessionListSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const endOneSession = {
  method: 'delete',
  path: '/user/sessions/{id}',
  access: 'session',
  summary: 'End one of the account’s sessions',
  params: idParams,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const endAllSessions = {
  method: 'post',
  path: '/user/sessions/end',
  access: 'session',
  summary: 'End all sessions of the account, including this one',
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

export const exportData = {
  method: 'get',
  path: '/user/export',
  access: 'session',
  cost: ['exportByAccount'],
  summary: 'Export all stored data of the account as one JSON file, without secrets',
  response: z.record(z.string(), z.unknown()),
  status: 200,
  problems: [],
} as const satisfies Call;

/** Body of `POST /user_feedback/create`. The title is always 'feedback'. */
const feedbackSchema = z.object({
  title: z.literal('feedback'),
  message: z
    .string()
    .trim()
    .min(1, 'Please write something')
    .max(FEEDBACK_MAX_LENGTH)
    // PostgreSQL cannot store NUL, and lone surrogates cannot be encoded in UTF-8.
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'Please remove control characters'),
});

export const sendFeedback = {
  method: 'post',
  path: '/user_feedback/create',
  access: 'session',
  scope: 'write',
  idempotent: true,
  summary: 'Store feedback and mail it to the operator',
  body: feedbackSchema,
  response: emptyEnvelope,
  status: 200,
  problems: [],
} as const satisfies Call;

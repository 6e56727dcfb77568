import type { z } from 'zod';
import { confirmedRecipientSchema, unsubscribeSubjectSchema } from '../../../../contract/alerting.ts';
import type { unsubscribeSchema } from '../../../../contract/alerting.ts';
import { wrapped } from '../../../../contract/calls/call.ts';
import { bodyOf, errorOf, send, understood } from '../../../lib/http.ts';
import type { HttpRequest } from '../../../lib/http.ts';
import { toSnakeCase } from '../../../lib/wire-case.ts';

const subjectAnswer = wrapped(unsubscribeSubjectSchema);
const confirmedAnswer = wrapped(confirmedRecipientSchema);

export type UnsubscribeSubject = z.output<typeof unsubscribeSubjectSchema>;
export type UnsubscribeScope = z.output<typeof unsubscribeSchema>['scope'];
export type ConfirmedRecipient = z.output<typeof confirmedRecipientSchema>;

/** Calls on behalf of whoever holds a link. It needs no session, so a refusal says nothing about one. */
async function ask<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  request: HttpRequest,
): Promise<z.output<Schema>> {
  const response = await send(`/api/recipients/${path}`, request);
  if (!response.ok) throw await errorOf(response);
  return understood(schema, toSnakeCase(await bodyOf(response, request.signal)), response.status);
}

/** Reads what the link at the end of a mail is about, and what its reader gets. */
export async function fetchUnsubscribeSubject(
  token: string,
  signal: AbortSignal,
): Promise<UnsubscribeSubject> {
  return (await ask('subscription', subjectAnswer, { method: 'POST', body: { token }, signal })).data;
}

/** Ends mail about the domain or all mail, or has it sent again. */
export async function unsubscribe(token: string, scope: UnsubscribeScope): Promise<UnsubscribeSubject> {
  return (await ask('subscription', subjectAnswer, { method: 'PATCH', body: { token, scope } })).data;
}

/** Agrees to get alerts by mail. */
export async function confirmRecipient(token: string): Promise<ConfirmedRecipient> {
  return (await ask('confirm', confirmedAnswer, { method: 'POST', body: { token } })).data;
}

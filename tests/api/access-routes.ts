import type { CALLS } from '../../contract/calls/calls.ts';
import type { Client, Input } from '../kit/product/people.ts';

/** A call as the OpenAPI document describes it. */
export interface Route {
  method: string;
  path: string;
  operation: {
    operationId: keyof typeof CALLS;
    /** Present only if the call needs a session. */
    security?: unknown;
    responses: Record<string, { description: string }>;
  };
}

/** Returns every call that the server describes; the one that deletes the caller's account comes last. */
export async function routesOf({ send }: Pick<Client, 'send'>): Promise<Route[]> {
  const document = (await (await send('/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, Route['operation']>>;
  };
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const isLast = ({ operation }: Route) => Number(operation.operationId === 'deleteUser');
  return routes.toSorted((a, b) => isLast(a) - isLast(b));
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Body of the answer; empty for an endless stream, whose body is not read. */
  text: string;
}

/** Sends the request and returns the raw answer, without checking it against the contract. */
export async function ask(
  client: Pick<Client, 'send'>,
  { method, path }: Route,
  input: Input,
): Promise<Answer> {
  const { params, query, body, headers } = input;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? '');
  const response = await client.send(`${filled}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  return { status: response.status, headers: response.headers, text: isStream ? '' : await response.text() };
}

/** Returns an answer without its request id and the remaining rate limit, which differ in every answer. */
export function comparable({ status, headers, text }: Answer) {
  return {
    status,
    headers: [...headers].filter(([name]) => !['x-request-id', 'ratelimit'].includes(name)),
    text: text.replace(/"request_id":"[^"]*"/, ''),
  };
}

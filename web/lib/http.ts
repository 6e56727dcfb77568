import type { z } from 'zod';
import type { Call } from '../../contract/calls/call.ts';
import { problemSchema } from '../../contract/problem.ts';
import { ApiError, standardPhrase } from './api-error.ts';

const ALIASES: Record<string, string> = { host_name: 'hostname' };

const REQUEST_TIMEOUT_MS = 30_000;
const UNREACHABLE = 'The server could not be reached. Your monitoring keeps running.';

/** `Prefer` header (RFC 7240) that asks for expected refusals as answers with status 200. Browsers log every 4xx answer as an error. */
export const LENIENT = 'handling=lenient';
/** An access cookie counts as expired this long before its end, because the next request takes time to arrive. */
const EXPIRY_MARGIN_MS = 5_000;

let accessEndsAt = Infinity;
/** Returns whether the access cookie has expired according to the latest answer, so that the session needs a refresh. */
export const isAccessOver = (): boolean => Date.now() > accessEndsAt;

interface RequestOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Replaces the message of a refusal, where the specification gives a fixed text. */
  failureText?: string;
}

type Part<C extends Call, Name extends 'params' | 'body'> =
  C extends Record<Name, infer Schema extends z.ZodType> ? Record<Name, z.input<Schema>> : unknown;

type Query<C extends Call> = C extends { query: infer Schema extends z.ZodType }
  ? Partial<z.input<Schema>> extends z.input<Schema>
    ? { query?: z.input<Schema> }
    : { query: z.input<Schema> }
  : unknown;

/** What a call takes: the path parameters, query and body that the contract describes, and options of the request. */
type CallInput<C extends Call> = Part<C, 'params'> & Query<C> & Part<C, 'body'> & RequestOptions;

/** The input as the rest arguments of a call: optional if the call needs none. */
export type InputArgument<C extends Call> =
  Partial<CallInput<C>> extends CallInput<C> ? [input?: CallInput<C>] : [input: CallInput<C>];

/** The body of an answer, without the envelope if it is `{ data }` and nothing else. */
type Unwrapped<Body> = [keyof Body] extends ['data']
  ? 'data' extends keyof Body
    ? Body['data']
    : Body
  : Body;

export type Answer<C extends Call> = C['response'] extends z.ZodType
  ? Unwrapped<z.output<C['response']>>
  : null;

/** The input of a call whose type is not known at compile time. */
export interface AnyCallInput extends RequestOptions {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
}

/**
 * Makes a call that needs no session and returns its parsed answer. Pages for visitors use this instead of `call`, so that they do
 * not load the code that refreshes sessions. Throws ApiError for a refusal, and for an answer that does not match the contract.
 */
export function callPublic<C extends Call & { access: 'public' }>(
  call: C,
  ...[input]: InputArgument<C>
): Promise<Answer<C>>;
export async function callPublic(call: Call, input: AnyCallInput = {}): Promise<unknown> {
  const response = await acceptedResponse(await send<Call>(call, input), input);
  return answerOf(call, response, input.signal);
}

/**
 * Sends a call with the page's cookies, and never refreshes the session. Throws ApiError with status 0 if no answer came;
 * rethrows if `signal` aborted.
 */
export function send<C extends Call>(call: C, ...[input]: InputArgument<C>): Promise<Response>;
export async function send(call: Call, input: AnyCallInput = {}): Promise<Response> {
  const { body, signal, timeoutMs = REQUEST_TIMEOUT_MS } = input;
  const deadline = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = { accept: 'application/json', prefer: LENIENT, ...input.headers };
  // The type is set even without a body: no plain HTML form can send it, which protects against forged requests.
  if (call.method !== 'get') headers['content-type'] = 'application/json';
  try {
    const response = await fetch(urlOf(call, input), {
      method: call.method.toUpperCase(),
      credentials: 'include',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    const left = response.headers.get('session-expires-in');
    if (left !== null) accessEndsAt = Date.now() + Number(left) * 1000 - EXPIRY_MARGIN_MS;
    return response;
  } catch (error) {
    throw unanswered(error, signal);
  }
}

function urlOf({ path }: Call, { params = {}, query = {} }: AnyCallInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `/api${filled}${search.size > 0 ? `?${search}` : ''}`;
}

/** Maps the error of a fetch to an ApiError. Returns it unchanged if the caller aborted. */
function unanswered(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const message = isLate ? 'The server did not answer in time' : UNREACHABLE;
  return new ApiError(message, { status: 0, cause: error });
}

/** Returns the error of a refused call, with the problem's own sentence or else the standard phrase of its status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return new ApiError(standardPhrase(response.status), { status: response.status });
  return new ApiError(problem.data.detail || problem.data.title, {
    status: problem.data.status,
    code: problem.data.code,
    retryAfterSeconds: problem.data.retry_after ?? null,
  });
}

/** Reads the JSON of an answer; null if it is not JSON. Throws ApiError with status 0 if the connection breaks. */
async function bodyOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw unanswered(error, signal);
  }
}

/** Returns whether the server refused the call. An expected refusal has status 200, but the media type of a problem. */
export const isRefused = ({ ok, headers }: Response): boolean =>
  !ok || headers.get('content-type')?.startsWith('application/problem+json') === true;

/** Returns the response of a successful call. Throws the ApiError of a refused one. */
export async function acceptedResponse(
  response: Response,
  { failureText }: RequestOptions,
): Promise<Response> {
  if (!isRefused(response)) return response;
  const error = await errorOf(response);
  if (failureText === undefined) throw error;
  throw new ApiError(failureText, {
    status: error.status,
    code: error.code,
    retryAfterSeconds: error.retryAfterSeconds,
    cause: error,
  });
}

/**
 * Reads and parses the answer of a call; of an answer `{ data }`, returns only the data. Throws ApiError if it does not match
 * the contract.
 */
export function answerOf<C extends Call>(
  call: C,
  response: Response,
  signal?: AbortSignal,
): Promise<Answer<C>>;
export async function answerOf(
  { response: schema }: Call,
  response: Response,
  signal?: AbortSignal,
): Promise<unknown> {
  if (schema === null) return null;
  const body = withSnakeCase(await bodyOf(response, signal));
  if (isEnvelope(schema)) return understood(schema, body, response.status).data;
  return understood(schema, body, response.status);
}

function understood<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  status: number,
): z.output<Schema> {
  const answer = schema.safeParse(body);
  if (answer.success) return answer.data;
  const message = 'The server sent an unexpected response';
  throw new ApiError(message, { status, cause: answer.error });
}

/** Returns whether answers of the schema are `{ data }` and nothing else. */
function isEnvelope(schema: z.ZodType): schema is z.ZodObject<{ data: z.ZodType }> {
  const fields = 'shape' in schema && schema.shape instanceof Object ? Object.keys(schema.shape) : [];
  return fields.length === 1 && fields[0] === 'data';
}

function snakeCase(key: string): string {
  const snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ALIASES[snake] ?? snake;
}

/**
 * Adds to every field with another name the snake_case name that the contract uses, so that answers are accepted in both
 * casings. The original names stay, because calls of the identity provider use camelCase. Values are unchanged.
 */
export function withSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const converted = withSnakeCase(inner);
      return [
        [key, converted],
        [snakeCase(key), converted],
      ];
    }),
  );
}

import { Hono } from 'hono';
import type { z } from 'zod';
import type { Call } from '../../../contract/calls/call.ts';
import { allows } from '../../../contract/token.ts';
import { grouped } from '../../../contract/words.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { AccessEnded, runAsCaller, runWithoutCaller } from '../../store/db/transaction.ts';
import type { AccountAnswers } from './answer-cache.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import type { AppOptions, Timing } from '../app-options.ts';
import { type IdempotentAnswer, NO_IDEMPOTENCY_KEY, runIdempotently } from './idempotency.ts';
import { type ActiveToken, hasToken, type PersonalTokens } from '../auth/personal-tokens.ts';
import { isLenient, problemResponse, Refusal, refuse } from './problem.ts';
import type { Telemetry } from '../../telemetry/metrics.ts';
import type { Readiness } from '../../telemetry/readiness.ts';
import type { CallLimitName, createCallLimits } from './rate-limit.ts';
import type { ActiveSession, Sessions } from '../auth/session.ts';
import type { LocalAccess } from './local-access.ts';
import type { EndpointPolicy } from '../../core/endpoint.ts';
import { entitlementAt } from '../../core/plan.ts';

/** Everything that the routes need: the app's options with defaults filled in, and the services made from them. */
export interface AppParts extends Omit<AppOptions, 'timing'> {
  timing: Timing;
  telemetry: Telemetry;
  readiness: Readiness;
  sessions: Sessions;
  tokens: PersonalTokens;
  limits: ReturnType<typeof createCallLimits>;
  answers: AccountAnswers;
  localAccess: LocalAccess;
}

/** A parsed part of a call's input, as its handler receives it. */
export type Parsed<C extends Call, Part extends 'params' | 'query' | 'body'> =
  C extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined;

/** A request as its handler receives it: its input is parsed and its caller authenticated. */
interface Incoming<C extends Call> {
  c: AppContext;
  params: Parsed<C, 'params'>;
  query: Parsed<C, 'query'>;
  body: Parsed<C, 'body'>;
  /** The caller; null for public calls. Only calls with a scope accept personal tokens. */
  session: C extends { access: 'session'; scope: string }
    ? Caller
    : C['access'] extends 'session'
      ? ActiveSession
      : null;
  /** Stores an answer under the caller's idempotency key. Does nothing for requests without a key. */
  idempotency: IdempotentAnswer;
  /** Time of the request, ms UTC. */
  now: number;
}

/** A person with a session, or a program with a personal token. */
export interface Caller {
  account: Account;
}

type Answer<C extends Call> =
  (C['response'] extends z.ZodType ? z.output<C['response']> : never) | Refusal | Response;

/** A call whose `cost` only names existing rate limits. */
type ServedCall = Call & { cost?: readonly CallLimitName[] };

export interface Api {
  app: Hono<AppEnv>;
  /** Registers a call of the contract, which defines its authentication, input schemas and response type. */
  on<C extends ServedCall>(call: C, handler: (incoming: Incoming<C>) => Promise<Answer<C>>): void;
}

export function createApi(parts: AppParts): Api {
  const app = new Hono<AppEnv>();
  return {
    app,
    on(call, handler) {
      app.on(call.method.toUpperCase(), honoPath(call.path), async (c) => {
        if (call.access === 'session') c.header('Cache-Control', 'no-store');
        if (call.answersVisitors && isVisitor(c, parts)) return c.json({ data: null });
        const session = call.access === 'session' ? await authenticate(c, call, parts) : null;
        if (session instanceof Refusal) return problemResponse(c, session);
        const input = await readInput(c, call);
        if (input instanceof Refusal) return problemResponse(c, input);
        const now = parts.clock.now();
        const handle = async (idempotency: IdempotentAnswer): Promise<Response> => {
          const answer =
            refusalOf(c, call, session?.account ?? null, parts) ??
            (await handler({ c, ...input, session, idempotency, now } as never));
          if (answer instanceof Refusal) return problemResponse(c, answer);
          return answer instanceof Response ? answer : c.json(answer as object, call.status);
        };
        // Leave the caller's context in public calls: in test mode a webhook is sent from within an authenticated request,
        // and it must not fail because that request's session has ended.
        if (session === null) return runWithoutCaller(() => handle(NO_IDEMPOTENCY_KEY));
        const answer = await withAccess(session, async () => {
          if (call.idempotent !== true) return handle(NO_IDEMPOTENCY_KEY);
          const accountId = session.account.id;
          return runIdempotently(c, { call, parts, accountId, input, now }, handle);
        });
        if (call.method !== 'get') parts.answers.forget(session.account.id);
        return answer instanceof Refusal ? problemResponse(c, answer) : answer;
      });
    },
  };
}

/** Returns whether a request has neither a session cookie nor a token, and its client accepts `data: null`. */
function isVisitor(c: AppContext, { sessions }: AppParts): boolean {
  return isLenient(c) && !hasToken(c) && !sessions.hasCookie(c);
}

/**
 * Runs a call on behalf of its session or token. If the session or token ends meanwhile, the call's transactions fail,
 * and the call is refused with 401.
 */
async function withAccess<T>(
  session: ActiveSession | ActiveToken,
  handle: () => Promise<T>,
): Promise<T | Refusal> {
  const { account, ...access } = session;
  try {
    return await runAsCaller({ accountId: account.id, ...access }, handle);
  } catch (error) {
    if (error instanceof AccessEnded) return refuse('not_authenticated', 'Please log in again.');
    throw error;
  }
}

/**
 * Authenticates a request by its session, or by its personal token if it has one, and counts its rate limit. Refuses a
 * token without the call's scope. A request with a token, valid or not, is never authenticated by its cookies.
 */
async function authenticate(
  c: AppContext,
  { scope, answersVisitors }: Call,
  { sessions, tokens, limits }: AppParts,
): Promise<ActiveSession | ActiveToken | Refusal> {
  if (!hasToken(c)) {
    const session = await (answersVisitors && isLenient(c)
      ? sessions.ofEitherCookie(c)
      : sessions.current(c));
    if (session === null) return refuse('not_authenticated', 'Please log in.');
    return limits.allowWithHeaders(c, 'bySession', session.sessionId) ?? session;
  }
  const token = await tokens.current(c);
  if (token === null || token instanceof Refusal)
    return token ?? refuse('not_authenticated', 'Please log in.');
  const limited = limits.allowWithHeaders(c, 'byToken', token.tokenId);
  if (limited) return limited;
  if (scope === undefined)
    return refuse(
      'insufficient_scope',
      'This call does not accept tokens. Log in and do this on the website.',
    );
  if (!allows(token.scopes, scope)) {
    c.header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    return refuse('insufficient_scope', `This token lacks the scope “${scope}”.`);
  }
  return token;
}

/**
 * Returns a refusal if the caller lacks what the call needs or has reached one of its rate limits. Else counts the call and
 * returns null.
 */
function refusalOf(
  c: AppContext,
  { needs, cost }: ServedCall,
  account: Account | null,
  parts: AppParts,
): Refusal | null {
  const { store, limits, clock } = parts;
  if (account !== null && needs !== undefined) {
    const { plan } = entitlementAt(store, account.entitlement, clock.now());
    if (needs.premium !== undefined && plan !== 'premium') return refuse('premium_required', needs.premium);
    if (needs.verified !== undefined && !account.emailVerified)
      return refuse('email_not_verified', needs.verified);
  }
  for (const limit of cost ?? []) {
    const limited = limits.allow(limit, account?.id ?? c.get('client').network);
    if (limited) return limited;
  }
  return null;
}

const honoPath = (path: string) => `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** Parses params, query and body. Returns a refusal if one is invalid. Removes fields that the contract does not have. */
async function readInput(c: AppContext, call: Call) {
  const parts = {
    params: call.params ? c.req.param() : undefined,
    query: call.query ? c.req.query() : undefined,
    body: call.body ? await readJson(c) : undefined,
  };
  const input: Record<string, unknown> = {};
  for (const part of ['params', 'query', 'body'] as const) {
    const parsed = call[part]?.safeParse(parts[part], { error: inPlainWords });
    if (parsed?.success === false) {
      // A malformed id belongs to no resource, so the status is 404 and not 400.
      if (part === 'params') return refuse('not_found', 'Not found: nothing has this id.');
      const [issue] = parsed.error.issues;
      return refuse('invalid_request', issue === undefined ? 'The request is not valid.' : sentence(issue));
    }
    input[part] = parsed?.data;
  }
  return input;
}

async function readJson(c: AppContext): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return undefined;
  try {
    return await c.req.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the text of a validation error for users, if the schema has no message of its own. */
function inPlainWords(issue: z.core.$ZodRawIssue): string {
  const field = `“${(issue.path ?? []).join('.')}”`;
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `${field} can have at most ${grouped(Number(issue.maximum))} characters.`;
  if (issue.code === 'invalid_value')
    return `${field} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`;
  return issue.input === undefined ? `${field} is missing.` : `${field} has an invalid value.`;
}

function sentence(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? 'Send a JSON object with content type application/json.' : issue.message;
}

/** Adapts an egress policy for the validation of hosts that users enter. */
export function endpointPolicy({ policy }: { policy: AppParts['channelPolicy'] }): EndpointPolicy {
  return {
    permitsAddress: (ip) => policy.permits(ip),
    permitsLocalNames: policy.permitsLocalNames,
  };
}

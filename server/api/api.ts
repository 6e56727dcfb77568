import { Hono } from 'hono';
import type { z } from 'zod';
import type { Call } from '../../contract/calls.ts';
import type { AppContext, AppEnv } from './app-env.ts';
import type { AppOptions, Timing } from './app-options.ts';
import { problemResponse, refuse, Refusal } from './problem.ts';
import type { createCallLimits } from './rate-limit.ts';
import type { ActiveSession, Sessions } from './session.ts';

/** What the routes work with. */
export interface AppParts extends Omit<AppOptions, 'timing'> {
  timing: Timing;
  sessions: Sessions;
  limits: ReturnType<typeof createCallLimits>;
}

type Parsed<C extends Call, Part extends 'params' | 'query' | 'body'> =
  C extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined;

/** A request as a handler sees it: everything from outside is parsed, and who asks is known. */
interface Incoming<C extends Call> {
  c: AppContext;
  params: Parsed<C, 'params'>;
  query: Parsed<C, 'query'>;
  body: Parsed<C, 'body'>;
  /** Of calls that need one; null for public calls. */
  session: C['access'] extends 'session' ? ActiveSession : null;
  now: number;
}

type Answer<C extends Call> =
  (C['response'] extends z.ZodType ? z.output<C['response']> : never) | Refusal | Response;

export interface Api {
  app: Hono<AppEnv>;
  /** Serves a call of the contract: session, limits, parsing, and the answer's form come from there. */
  on<C extends Call>(call: C, handler: (incoming: Incoming<C>) => Promise<Answer<C>>): void;
}

export function createApi(parts: AppParts): Api {
  const app = new Hono<AppEnv>();
  return {
    app,
    on(call, handler) {
      app.on(call.method.toUpperCase(), honoPath(call.path), async (c) => {
        const session = call.access === 'session' ? await parts.sessions.current(c) : null;
        if (call.access === 'session') {
          c.header('Cache-Control', 'no-store');
          if (session === null) return problemResponse(c, refuse('not_authenticated', 'Please sign in.'));
          const limited = parts.limits.allow('bySession', session.sessionId);
          if (limited) return problemResponse(c, limited);
        }
        const input = await readInput(c, call);
        if (input instanceof Refusal) return problemResponse(c, input);
        const answer = await handler({ c, ...input, session, now: parts.clock.now() } as never);
        if (answer instanceof Refusal) return problemResponse(c, answer);
        return answer instanceof Response ? answer : c.json(answer as object, call.status);
      });
    },
  };
}

const honoPath = (path: string) => `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** What the contract does not name never reaches a handler: unknown fields are dropped. */
async function readInput(c: AppContext, call: Call) {
  const parts = {
    params: call.params ? c.req.param() : undefined,
    query: call.query ? c.req.query() : undefined,
    body: call.body ? await readJson(c) : undefined,
  };
  const input: Record<string, unknown> = {};
  for (const part of ['params', 'query', 'body'] as const) {
    const parsed = call[part]?.safeParse(parts[part]);
    if (parsed?.success === false) {
      // An id of another form than ours names nothing.
      if (part === 'params') return refuse('not_found', 'There is nothing at this address.');
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

function sentence(issue: z.core.$ZodIssue): string {
  const where = issue.path.join('.');
  return where === ''
    ? 'Send a JSON object with content type application/json.'
    : `${issue.message} (${where})`;
}

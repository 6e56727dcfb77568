import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { COMMON_PROBLEMS, type Call } from '../../contract/calls.ts';
import { PROBLEMS, problemSchema, type ProblemCode } from '../../contract/problem.ts';
import type { AppEnv } from './app-env.ts';

type Registry = OpenAPIHono['openAPIRegistry'];

/** Adds a call of the contract to the OpenAPI document. */
export function documentCall(registry: Registry, call: Call): void {
  registry.registerPath({
    method: call.method,
    path: `/api${call.path}`,
    summary: call.summary,
    tags: [call.path.split('/')[1] ?? ''],
    ...(call.access === 'session' && { security: [{ session: [] }] }),
    request: {
      ...(call.params && { params: call.params }),
      ...(call.query && { query: call.query }),
      ...(call.body && {
        body: { required: true, content: { 'application/json': { schema: call.body } } },
      }),
    },
    responses: {
      [call.status]: success(call),
      ...failures([
        ...COMMON_PROBLEMS,
        ...call.problems,
        ...(call.access === 'session' ? (['not_authenticated'] as const) : []),
      ]),
    },
  } as RouteConfig);
}

/** The document as JSON data (OpenAPI 3.1). */
export function openApiDocument(app: OpenAPIHono<AppEnv>, sessionCookie: string): object {
  app.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
  });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Certlantern', version: '1', license: { name: 'Apache-2.0' } },
  });
}

function success(call: Call) {
  const description = 'Success';
  if (call.response === null)
    return { description, content: { 'text/event-stream': { schema: { type: 'string' } } } };
  return { description, content: { 'application/json': { schema: call.response } } };
}

/** One answer per status; it names the codes that come with it. */
function failures(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}

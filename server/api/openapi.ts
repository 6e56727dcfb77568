import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { CALLS, COMMON_PROBLEMS, type Call } from '../../contract/calls.ts';
import { PROBLEMS, problemSchema, type ProblemCode } from '../../contract/problem.ts';

/** Every call of the contract as an OpenAPI 3.1 document (JSON data). */
export function openApiDocument(sessionCookie: string): object {
  const collector = new OpenAPIHono();
  const registry = collector.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
  });
  for (const [name, call] of Object.entries<Call>(CALLS)) registry.registerPath(operation(name, call));
  return collector.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Certlantern', version: '1', license: { name: 'Apache-2.0' } },
  });
}

function operation(name: string, call: Call): RouteConfig {
  const needsSession = call.access === 'session';
  const codes = [...COMMON_PROBLEMS, ...call.problems];
  return {
    operationId: name,
    method: call.method,
    path: `/api${call.path}`,
    summary: call.summary,
    tags: [call.path.split('/')[1] ?? ''],
    ...(needsSession && { security: [{ session: [] }] }),
    request: {
      ...(call.params && { params: call.params }),
      ...(call.query && { query: call.query }),
      ...(call.body && {
        body: { required: true, content: { 'application/json': { schema: call.body } } },
      }),
    },
    responses: {
      [call.status]: success(call),
      ...failures(needsSession ? [...codes, 'not_authenticated'] : codes),
    },
  } as RouteConfig;
}

function success(call: Call) {
  if (call.status === 302) return { description: 'Redirect' };
  const description = 'Success';
  if (call.response === null)
    return {
      description,
      content: { [call.mediaType ?? 'application/octet-stream']: { schema: { type: 'string' } } },
    };
  return { description, content: { 'application/json': { schema: call.response } } };
}

/** One answer per status; it names the codes that come with it. */
function failures(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
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

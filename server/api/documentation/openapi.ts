import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Call } from '../../../contract/calls/call.ts';
import { CALLS, COMMON_PROBLEMS } from '../../../contract/calls/calls.ts';
import { type ProblemCode, PROBLEMS, problemSchema } from '../../../contract/problem.ts';

/** Returns every call of the contract as an OpenAPI 3.1 document (JSON data). */
export function openApiDocument(sessionCookie: string): object {
  const collector = new OpenAPIHono();
  const registry = collector.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
  });
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'clt_…',
    description:
      'A personal token, created on the profile page. Its scopes are `read`, `write` and `metrics`; each call names the one it needs.',
  });
  for (const [name, { description, example }] of Object.entries(HEADERS))
    registry.registerComponent('headers', name, { description, schema: { type: 'string' }, example });
  const calls = Object.entries<Call>(CALLS).toSorted(([, a], [, b]) => a.path.localeCompare(b.path));
  for (const [name, call] of calls) registry.registerPath(operation(name, call));
  return collector.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Certlantern', version: '1', license: { name: 'Apache-2.0' } },
  });
}

/** Rate limit headers of answers below /api (draft-ietf-httpapi-ratelimit-headers-10). */
const HEADERS = {
  'RateLimit-Policy': {
    description: 'The limits that apply to this call: `q` calls in `w` seconds.',
    example: '"address";q=1200;w=60, "token";q=600;w=60',
  },
  RateLimit: {
    description: 'What remains of each limit: `r` more calls until it resets in `t` seconds.',
    example: '"address";r=1199;t=60, "token";r=599;t=60',
  },
};
const headers = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const idempotencyHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description:
      'A value of your choice, such as a UUID. Within a day, a call runs once per key; repeated requests get the stored response, with `Idempotency-Replayed: true`. Secrets that are shown only once are null in the repeated response.',
  }),
});

const TOKEN_PROBLEMS = ['invalid_token', 'insufficient_scope'] as const;
const KEY_PROBLEMS = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;

function operation(name: string, call: Call): RouteConfig {
  const needsSession = call.access === 'session';
  const codes = new Set<ProblemCode>([
    ...COMMON_PROBLEMS,
    ...call.problems,
    ...(needsSession ? (['not_authenticated', ...TOKEN_PROBLEMS] as const) : []),
    ...(call.idempotent ? KEY_PROBLEMS : []),
  ]);
  return {
    operationId: name,
    method: call.method,
    path: `/api${call.path}`,
    summary: call.summary,
    tags: [call.path.split('/')[1] ?? ''],
    ...(needsSession && {
      security: [{ session: [] }, ...(call.scope === undefined ? [] : [{ token: [call.scope] }])],
    }),
    request: {
      ...(call.params && { params: call.params }),
      ...(call.query && { query: call.query }),
      ...(call.idempotent && { headers: idempotencyHeaders }),
      ...(call.body && {
        body: {
          required: true,
          content: { 'application/json': { schema: call.body, ...exampleOf(name) } },
        },
      }),
    },
    responses: { [call.status]: success(call), ...failures([...codes]) },
  } as RouteConfig;
}

function exampleOf(name: string): { example: unknown } | Record<string, never> {
  const example = EXAMPLE_BODIES[name];
  return example === undefined ? {} : { example };
}

function success(call: Call) {
  if (call.status === 302) return { description: 'Redirect' };
  const description = 'Success';
  if (call.response === null)
    return {
      description,
      headers,
      content: { [call.mediaType ?? 'application/octet-stream']: { schema: { type: 'string' } } },
    };
  return { description, headers, content: { 'application/json': { schema: replayed(call) } } };
}

/** Returns the response schema of a call that also fits replayed answers: there, secrets that are shown only once are null. */
function replayed({ response, shownOnce }: Call) {
  const data = response instanceof z.ZodObject ? response.shape['data'] : null;
  if (!(shownOnce && response instanceof z.ZodObject && data instanceof z.ZodObject)) return response;
  const secrets = shownOnce.map((field) => [field, z.nullable(data.shape[field] ?? z.string())]);
  return response.extend({ data: data.extend(Object.fromEntries(secrets)) });
}

/** Returns one response per status, which lists its problem codes. */
function failures(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        headers,
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}

const ID = '0b8f2f0e-6d0a-4c53-9a52-4f6a6b1d9c11';

/** Example request bodies by name of the call, for the OpenAPI document and the API reference made from it. */
export const EXAMPLE_BODIES: Readonly<Record<string, unknown>> = {
  addDomain: { host: 'example.com' },
  expectCertificate: { pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----' },
  describeDomain: { notes: 'Renewed by hand.', tags: ['prod', 'eu'] },
  resumeDomain: {},
  actOnDomains: { action: 'tag', ids: [ID], add: ['prod'], remove: [] },
  previewImport: { entries: [{ host: 'www.example.com', tags: ['prod'] }, { host: 'example.com' }] },
  importDomains: { entries: [{ host: 'www.example.com', tags: ['prod'] }, { host: 'example.com' }] },
  addChannel: {
    name: 'Our hook',
    config: { kind: 'webhook', url: 'https://hooks.example.com/certificates' },
  },
  changeChannel: { enabled: true },
  changeAccountAlerts: { digest: true },
  previewAlerts: { domain_id: ID, steps: ['21d', '10%'] },
  changeDomainAlerts: { muted: ['uptime'] },
  addMaintenance: {
    domain_id: null,
    starts_at: '2027-01-03T02:00:00Z',
    ends_at: '2027-01-03T04:00:00Z',
    repeats: 'weekly',
  },
  acknowledgeIncident: { acknowledged: true },
  snoozeIncident: { until: '2027-01-03T08:00:00Z' },
  addAuthorities: { pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n' },
  sendFeedback: { title: 'feedback', message: 'All is well.' },
  saveStatusPage: { title: 'Our services', shows: 'all' },
  previewStatusPage: {
    title: 'Our services',
    shows: 'all',
    tags: [],
    domains: [],
    show_certificates: true,
    show_uptime: true,
    show_incidents: true,
  },
  makeToken: { name: 'Nightly job', scopes: ['read'], expires_in_days: 90 },
};

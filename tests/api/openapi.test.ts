import { expect, it } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { freshStore } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { EXAMPLE_BODIES } from '../../server/api/documentation/openapi.ts';

interface OpenApi {
  openapi: string;
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, unknown>; security?: unknown }>
  >;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, { name?: string }> };
}

/** Calls that are addressed by a secret or a chosen name. For any other name, they answer 404 to everybody. */
const UNGUESSABLE: Call[] = [CALLS.calendar, CALLS.publicStatus];

// A webhook without a signature is logged as a warning.
const QUIET = { info() {}, warn() {}, error: console.error };

it('The OpenAPI document describes exactly the calls that are served, with their statuses and security', async () => {
  const provider = {
    id: 'orchard',
    name: 'Orchard',
    issuer: 'http://127.0.0.1:9',
    clientId: 'c',
    clientSecret: 's',
  };
  const api = await startApi(() => freshStore('sqlite'), { openId: [provider], log: QUIET });
  const document = (await (await api.send('/api/openapi.json')).json()) as OpenApi;
  expect(document.openapi).toBe('3.1.0');
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  expect(described.toSorted()).toEqual(
    Object.values<Call>(CALLS)
      .map((call) => `${call.method} /api${call.path}`)
      .toSorted(),
  );

  const client = createClient(api.send);
  for (const [name, call] of Object.entries<Call>(CALLS)) {
    const operation = document.paths[`/api${call.path}`]?.[call.method];
    expect(operation?.operationId).toBe(name);
    const byToken = call.scope === undefined ? [] : [{ token: [call.scope] }];
    expect(operation?.security).toEqual(
      call.access === 'session' ? [{ session: [] }, ...byToken] : undefined,
    );
    // Shows that the call is served: every refusal differs from the answer for an unknown call.
    const id = call === CALLS.oidcCallback ? provider.id : crypto.randomUUID();
    const token = 'A'.repeat(43);
    const params = {
      id,
      key: id,
      token,
      fingerprint: 'a'.repeat(64),
      file: `${token}.ics`,
      rule: 'server_auth_only',
    };
    const answer = await client.ask(call, { params });
    const status = String(answer.status);
    expect(Object.keys(operation?.responses ?? {}), `${name} answers ${status}`).toContain(status);
    if (!UNGUESSABLE.includes(call)) expect(status).not.toBe('404');
  }
});

it('The OpenAPI document has exactly the schemas that it refers to', async () => {
  const api = await startApi(() => freshStore('sqlite'));
  const text = await (await api.send('/api/openapi.json')).text();
  const { components } = JSON.parse(text) as OpenApi;
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    (match) => match[1] ?? '',
  );
  expect(new Set(references)).toEqual(new Set(Object.keys(components.schemas)));
  expect(components.securitySchemes['session']?.name).toBe('__Host-certlantern-session');
  expect(components.securitySchemes['token']).toMatchObject({ type: 'http', scheme: 'bearer' });
});

it('The OpenAPI document has a valid example body for every call that a token may make', () => {
  const withBody = Object.entries<Call>(CALLS).filter(([, { body, scope }]) => body && scope);
  expect(withBody.map(([name]) => name).filter((name) => !(name in EXAMPLE_BODIES))).toEqual([]);
  for (const [name, example] of Object.entries(EXAMPLE_BODIES)) {
    const call: Call = CALLS[name as keyof typeof CALLS];
    expect([name, call.body?.safeParse(example).error?.issues]).toEqual([name, undefined]);
  }
});

import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { freshStore } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** No test here depends on the database. */
const open = () => freshStore('sqlite');
const MAX_BYTES = 2_048;

/** Serves the product on a real socket; `get` sends the target unchanged, which `fetch` would normalise. */
async function listening() {
  const telemetry = { metrics: createMetrics(), tracer: null };
  const lines: object[] = [];
  const api = await startApi(open, {
    telemetry,
    mailFolder: '/nonexistent',
    requestLog: { info: (facts: unknown) => void lines.push(facts as object) },
  });
  const server = createAdaptorServer({ fetch: api.fetch }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const get = (path: string, method = 'GET') =>
    new Promise<{ status: number; headers: Headers; body: string }>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', method, path, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () => {
          const headers = new Headers(response.headers as Record<string, string>);
          resolve({ status: response.statusCode ?? 0, headers, body });
        });
      });
      asked.on('error', reject).end();
    });
  return { get, telemetry, lines };
}

describe('A path of more than 2 kB', () => {
  it.each(['/', '.', '%2f', '/.', '/%', 'a'])(
    'made of repeated %s is refused with 414 before it is parsed',
    async (part) => {
      const { get } = await listening();
      const answer = await get(`/${part.repeat(12_000 / part.length)}`);
      expect(answer.status).toBe(414);
      expect(answer.body).toBe(`The path exceeds the limit of ${MAX_BYTES} bytes.\n`);
    },
  );

  it('is refused with 414 on every route, as a problem document below /api and as text elsewhere', async () => {
    const { get } = await listening();
    const calls = Object.values<Call>(CALLS).map(({ path }) => `/api${path.replaceAll(/\{\w+\}/g, 'x')}/`);
    for (const folder of ['/assets/', '/status/', '/badge/', '/dev/mail/', '/metrics/', ...calls]) {
      const { status, headers, body } = await get(folder.padEnd(MAX_BYTES + 1, 'x'));
      expect([folder, status]).toEqual([folder, 414]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const id = headers.get('x-request-id');
      expect(id).toMatch(/^[\da-f-]{36}$/);
      if (folder.startsWith('/api/'))
        expect(JSON.parse(body)).toMatchObject({ code: 'path_too_long', request_id: id });
      else expect(headers.get('content-type')).toContain('text/plain');
    }
    promise('large-requests');
  });

  it('is counted in metrics as a request and as a reached limit, and not logged in full', async () => {
    const { get, telemetry, lines } = await listening();
    for (const path of ['/', '/api/']) await get(path.padEnd(MAX_BYTES + 1, '.'));
    const text = await telemetry.metrics.registry.metrics();
    expect(text).toContain('certlantern_limit_reached_total{limit="LIMIT_PATH_BYTES"} 2');
    expect(text).toContain('requests_total{route="pages",method="GET",status="414"} 2');
    expect(JSON.stringify(lines)).not.toContain('...');
  });

  it('is refused with 414; its query does not count, and exactly 2,048 bytes are accepted', async () => {
    const { get } = await listening();
    expect((await get(`/api/config?code=${'x'.repeat(8_000)}`)).status).toBe(200);
    expect((await get('/'.padEnd(MAX_BYTES, 'x'))).status).toBe(404);
    expect((await get('/'.padEnd(MAX_BYTES + 1, 'x'))).status).toBe(414);
    expect((await get('/'.padEnd(MAX_BYTES + 1, 'x'), 'POST')).status).toBe(414);
  });
});

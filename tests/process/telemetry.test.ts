import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { freePort, startApp, startWorkerApp, temporaryFolder } from '../kit/product/app.ts';
import { freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { markVerifiedInDataDir, sendTo, signUp } from '../kit/product/people.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';

const TOKEN = 'metrics-token-of-a-real-process';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe('A worker process', () => {
  const start = async (env: Record<string, string>) => {
    const database = await freshDatabase('postgres');
    const worker = startWorkerApp({
      DATA_DIR: join(folder.path, 'data'),
      DATABASE_URL: database.databaseUrl ?? '',
      ...env,
    });
    onTestFinished(async () => {
      await worker.kill();
      await database.remove();
    });
    return worker;
  };
  const statusOf = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { headers }).then(
      ({ status }) => status,
      () => 'nobody',
    );

  it.skipIf(!hasDatabase('postgres'))('serves health and metrics at WORKER_PORT', async () => {
    const port = await freePort();
    await start({ WORKER_PORT: String(port), METRICS_TOKEN: TOKEN });
    const url = `http://127.0.0.1:${port}`;
    await expect.poll(() => statusOf(`${url}/api/health/ready`)).toBe(200);
    expect(await statusOf(`${url}/api/health/live`)).toBe(200);
    expect(await statusOf(`${url}/metrics`)).toBe(404);
    expect(await statusOf(`${url}/api/config`)).toBe(404);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const figures = async () => (await fetch(`${url}/metrics`, { headers })).text();
    const text = await figures();
    expect(text).toMatch(/^certlantern_build_info\{version="[^"]+",role="worker"\} 1$/m);
    expect(text).toMatch(/^certlantern_database_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^certlantern_database_connections_limit \d+$/m);
    const levels = ['program', 'database'].map((what) =>
      Number(new RegExp(`^certlantern_${what}_level (\\d+)$`, 'm').exec(text)?.[1]),
    );
    expect(levels[0]).toBeGreaterThan(6);
    expect(levels[1]).toBe(levels[0]);
    expect(text).toMatch(/^oldest_due_check_seconds 0$/m);
  });
});

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status?: { code: number };
}
interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
}

/** Starts a collector for OpenTelemetry traces over HTTP. */
async function startReceiver() {
  const requests: { path: string; key: string | undefined; body: OtlpRequest }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest;
      const key = request.headers['api-key'] as string | undefined;
      if (status === 200) requests.push({ path: request.url ?? '', key, body });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const spans = (): OtlpSpan[] =>
    requests.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return {
    requests,
    spans,
    answerWith: (code: number) => void (status = code),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}

describe('Traces', () => {
  it('contain a request with its queries, a check with its steps and a delivery, in OTLP', async () => {
    const receiver = await startReceiver();
    const sink = await startWebhookSink();
    const peer = await startTlsServer({ '*': selfSigned() });
    const app = await startApp({
      DATA_DIR: join(folder.path, 'data'),
      BILLING: 'none',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
      TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20receiver',
      OTEL_SERVICE_NAME: 'watch-tests',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    });
    onTestFinished(async () => {
      await app.kill();
      await Promise.all([sink.stop(), peer.stop()]);
    });
    // The collector is unavailable at first: unsent traces are sent later.
    receiver.answerWith(503);
    const traceparent = `00-${TRACE_ID}-${SPAN_ID}-01`;
    const alice = await signUp(sendTo(app.url), { name: 'Alice' });
    await markVerifiedInDataDir(app.dataDir, alice.id);
    const host = `127.0.0.1:${peer.port}`;
    await alice.ask(CALLS.addDomain, { body: { host }, headers: { traceparent } });
    const config = { kind: 'webhook', url: `${sink.url}/hook-with-a-secret` };
    const channel = await alice.ask(CALLS.addChannel, { body: { config } });
    await alice.ask(CALLS.testChannel, { params: { key: channel.ok.data.channel.key } });
    await expect.poll(() => sink.requests.length).toBeGreaterThan(0);
    receiver.answerWith(200);

    const { spans } = receiver;
    const named = (name: string) => spans().filter((span) => span.name === name);
    const below = (parent: OtlpSpan | undefined) =>
      spans().filter(({ parentSpanId }) => parentSpanId === parent?.spanId && parent !== undefined);
    await expect.poll(() => named('POST /api/domain/add').length).toBe(1);
    await expect.poll(() => named('alert over http').length).toBeGreaterThan(0);

    const [request] = named('POST /api/domain/add');
    expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: SPAN_ID, kind: 2 });
    const queries = below(request).filter(({ name }) => name.startsWith('db '));
    expect(queries.map(({ name }) => name)).toContain('db insert');
    for (const { attributes } of queries)
      expect(attributes.find(({ key }) => key === 'db.query.text')?.value.stringValue).toBeTruthy();

    const [check] = named('check');
    expect(check?.attributes).toContainEqual({ key: 'certlantern.endpoint', value: { stringValue: host } });
    const steps = below(check).map(({ name }) => name);
    for (const step of ['claim', 'observe', 'record']) expect(steps).toContain(step);
    const observe = below(check).find(({ name }) => name === 'observe');
    const parts = below(observe).map(({ name }) => name);
    for (const part of ['resolve', 'look', 'ask', 'judge']) expect(parts).toContain(part);
    for (const { startTimeUnixNano, endTimeUnixNano, traceId, spanId } of spans()) {
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(`${traceId} ${spanId}`).toMatch(/^[\da-f]{32} [\da-f]{16}$/);
    }
    const delivery = named('alert over http').find((span) => below(span).some(({ name }) => name === 'send'));
    expect(delivery?.kind).toBe(5);

    const [first] = receiver.requests;
    expect(first).toMatchObject({ path: '/v1/traces', key: 'of the receiver' });
    const resource = first?.body.resourceSpans[0]?.resource.attributes ?? [];
    expect(resource).toContainEqual({ key: 'service.name', value: { stringValue: 'watch-tests' } });
    const everything = JSON.stringify(receiver.requests);
    for (const secret of ['hook-with-a-secret', alice.email, alice.password])
      expect(everything).not.toContain(secret);
    for (const { value } of alice.cookies.values()) expect(everything).not.toContain(value);
  });

  it('do not affect the server if the collector is unreachable', async () => {
    const app = await startApp({
      DATA_DIR: join(folder.path, 'data'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    onTestFinished(() => app.kill());
    for (let calls = 0; calls < 20; calls++) expect((await fetch(`${app.url}/api/config`)).status).toBe(200);
    await expect.poll(() => app.output()).toContain('trace export failed');
    expect(await app.stop()).toBe(0);
    expect(app.output().match(/trace export failed/g)).toHaveLength(1);
  });
});

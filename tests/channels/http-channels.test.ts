import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveryOutcome } from '../../server/channels/definition.ts';
import type { HttpChannels } from '../../server/channels/http-channels.ts';
import type { StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import { heapBytes } from '../kit/machine/memory.ts';
import { alertContentOf } from '../kit/product/alert-content.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { HTTP_EXAMPLES } from '../kit/peers/channel-examples.ts';
import { localChannels } from '../kit/peers/http-receivers.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { listening } from '../kit/peers/tls-server.ts';
import { type SinkAnswer, startWebhookSink, type WebhookSink } from '../kit/peers/webhook-sink.ts';
import { promise } from '../security/promise.ts';

const never = new AbortController().signal;
const NOW = Date.UTC(2026, 10, 24, 12);
const outgoing = { content: alertContentOf(), messageId: 'delivery-1', now: NOW };
type Kind = StoredChannelConfig['kind'];

let sink: WebhookSink;
beforeAll(async () => {
  sink = await startWebhookSink();
});
afterAll(() => sink.stop());
beforeEach(() => {
  sink.requests.splice(0);
  sink.answer = () => ({});
});

function channelAt(kind: Kind, address = sink.url): StoredChannelConfig {
  const found = HTTP_EXAMPLES.find((example) => example.kind === kind);
  if (found === undefined) throw new Error(`no channel of kind ${kind}`);
  return found.at(address);
}

const KINDS = HTTP_EXAMPLES.map(({ kind }) => kind);

/** Returns the outcome of an alert that the sink answers with `answer`. */
function answered(kind: Kind, answer: SinkAnswer): Promise<DeliveryOutcome> {
  sink.answer = () => answer;
  return localChannels({ at: sink.url }).deliver(channelAt(kind), outgoing, never);
}

/** Returns the outcome of a webhook to this server. */
async function deliverTo(
  serve: RequestListener,
  channels: HttpChannels = localChannels(),
): Promise<DeliveryOutcome> {
  const peer = await listening(createServer(serve));
  onTestFinished(() => peer.stop());
  return channels.deliver(channelAt('webhook', `http://127.0.0.1:${peer.port}`), outgoing, never);
}

describe('an alert over HTTP', () => {
  it.each(HTTP_EXAMPLES)('is sent to $kind as one JSON document', async ({ kind, request }) => {
    expect(await answered(kind, { status: 202 })).toMatchObject({ outcome: 'delivered' });
    expect(sink.requests).toHaveLength(1);
    expect(sink.requests[0]).toMatchObject({
      method: request.method ?? 'POST',
      path: request.path,
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(sink.requests[0]?.body ?? '')).toMatchObject(request.part);
    expect(sink.requests[0]?.headers.authorization).toBe(request.authorization);
  });

  it('is sent to a webhook by PUT if its owner chose that', async () => {
    const channel = { ...channelAt('webhook'), method: 'PUT' } as StoredChannelConfig;
    expect(await localChannels().deliver(channel, outgoing, never)).toMatchObject({ outcome: 'delivered' });
    expect(sink.requests[0]?.method).toBe('PUT');
  });

  it('is sent to ntfy without an Authorization header if there is no token', async () => {
    const channel = { kind: 'ntfy', server: sink.url, topic: 'alerts', access_token: '' } as const;
    expect(await localChannels().deliver(channel, outgoing, never)).toMatchObject({ outcome: 'delivered' });
    expect(sink.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('an HTTP answer', () => {
  it.each([200, 201, 202, 204, 299])(
    'an HTTP answer of %i means delivered on every kind of channel',
    async (status) => {
      for (const kind of KINDS)
        expect(await answered(kind, { status })).toMatchObject({ outcome: 'delivered' });
    },
  );

  it.each([301, 302, 303, 307, 308, 408, 425, 429, 500, 502, 503, 504, 599])(
    'an HTTP answer of %i means retry on every kind of channel, without following a redirect',
    async (status) => {
      for (const kind of KINDS) {
        const headers = { location: `${sink.url}/elsewhere` };
        expect(await answered(kind, { status, headers })).toMatchObject({ outcome: 'retry' });
      }
      // One request per kind shows that no redirect was followed.
      expect(sink.requests).toHaveLength(KINDS.length);
      promise('channel-addresses');
    },
  );

  it.each(HTTP_EXAMPLES.filter(({ gone }) => gone.length > 0))(
    'an HTTP answer from $kind with a status in $gone means that the channel is gone',
    async ({ kind, gone }) => {
      for (const status of gone)
        expect(await answered(kind, { status })).toMatchObject({ outcome: 'failed', cause: 'gone' });
    },
  );

  it.each(HTTP_EXAMPLES.filter(({ failed }) => failed.length > 0))(
    'an HTTP answer from $kind with a status in $failed is a permanent failure that leaves the channel on',
    async ({ kind, failed }) => {
      for (const status of failed) {
        const outcome = await answered(kind, { status });
        expect(outcome).toMatchObject({ outcome: 'failed' });
        expect(outcome).not.toHaveProperty('cause');
      }
    },
  );

  it.each(HTTP_EXAMPLES.filter(({ retried }) => retried !== undefined))(
    'an HTTP answer from $kind with a status in $retried is retried',
    async ({ kind, retried = [] }) => {
      for (const status of retried)
        expect(await answered(kind, { status })).toMatchObject({ outcome: 'retry' });
    },
  );

  it.each([
    ['90', 90_000],
    ['0.5', 500],
    ['86400', 86_400_000],
    [new Date(NOW + 60_000).toUTCString(), 60_000],
    [new Date(NOW - 60_000).toUTCString(), 0],
  ])(
    'an HTTP answer with the Retry-After "%s" sets the delay of the retry to %d ms',
    async (retryAfter, afterMs) => {
      for (const status of [429, 503])
        expect(await answered('discord', { status, headers: { 'retry-after': retryAfter } })).toMatchObject({
          afterMs,
        });
    },
  );

  it.each(['', 'soon', '-1', '1e99', 'NaN'])(
    'an HTTP answer with the invalid Retry-After "%s" sets no delay',
    async (retryAfter) => {
      const outcome = await answered('webhook', { status: 503, headers: { 'retry-after': retryAfter } });
      expect(outcome).toMatchObject({ outcome: 'retry' });
      expect(outcome).not.toHaveProperty('afterMs');
    },
  );

  it('is reported only with its status, without its body or any secret', async () => {
    const words = 'internal: the password of the database is hunter2';
    const details: string[] = [];
    for (const status of [200, 302, 400, 401, 403, 404, 410, 418, 429, 500])
      for (const kind of KINDS) {
        const headers = { 'x-secret': 'hunter2', location: 'http://hunter2.test/' };
        details.push((await answered(kind, { status, headers, body: words })).detail);
      }
    for (const kind of KINDS)
      details.push(
        (await localChannels().deliver(channelAt(kind, 'http://127.0.0.1:9'), outgoing, never)).detail,
      );
    const secrets = [
      ...HTTP_EXAMPLES.map(({ secret }) => secret),
      'hunter2',
      'secret',
      '127.0.0.1',
      'password',
    ];
    for (const detail of details) {
      expect(detail).toMatch(/^[\w ,:;()’'-]+\.$/);
      expect(secrets.filter((secret) => detail.includes(secret))).toEqual([]);
    }
    expect(details).toContain('Slack answered 404 Not Found: the webhook or its channel no longer exists.');
    promise('channel-answers');
  });
});

describe('a misbehaving receiver', () => {
  it.each<[string, RequestListener]>([
    ['an endless body', (_request, response) => flood(response.writeHead(200))],
    [
      'a small body that decompresses to a large one',
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
    ],
    ['one byte at a time', (_request, response) => drip(response.writeHead(200))],
    [
      'a connection reset',
      (_, response) => void response.writeHead(200).write('a', () => response.socket?.resetAndDestroy()),
    ],
  ])('an alert counts as delivered if the receiver’s status 200 is followed by %s', async (_name, serve) => {
    expect(await deliverTo(serve)).toEqual({
      outcome: 'delivered',
      detail: 'The receiver answered 200 OK.',
    });
  });

  it.each<[string, RequestListener, string]>([
    ['never answers', () => undefined, 'No response in time.'],
    [
      'sends its headers one byte at a time',
      (_, { socket }) => socket && dripHead(socket),
      'No response in time.',
    ],
    [
      'resets the connection',
      ({ socket }) => void socket.resetAndDestroy(),
      'No connection: the name was not found, or nothing is listening there.',
    ],
    [
      'sends headers without an end',
      (_, { socket }) => void socket?.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`),
      'The response was too large.',
    ],
    [
      'speaks no HTTP',
      (_, { socket }) => void socket?.write('SSH-2.0-x\r\n'),
      'The receiver did not answer with HTTP.',
    ],
  ])('gets the alert again later if it %s', async (_name, serve, detail) => {
    const channels = localChannels({ deadlineMs: detail === 'No response in time.' ? 300 : 60_000 });
    expect(await deliverTo(serve, channels)).toEqual({ outcome: 'retry', detail });
  });

  it('gets the alert again if the attempt is aborted', async () => {
    const stopping = new AbortController();
    sink.answer = () => {
      stopping.abort();
      return { delayMs: 10_000 };
    };
    expect(await localChannels().deliver(channelAt('webhook'), outgoing, stopping.signal)).toEqual({
      outcome: 'retry',
      detail: 'The attempt was interrupted.',
    });
  });

  it('gets no alert over HTTPS until its certificate can be verified', async () => {
    const authority = mintAuthority();
    const secured = await startWebhookSink({ certificate: authority.issue({ ipAddresses: ['127.0.0.1'] }) });
    onTestFinished(() => secured.stop());
    const webhook = channelAt('webhook', secured.url);
    expect(await localChannels().deliver(webhook, outgoing, never)).toEqual({
      outcome: 'retry',
      detail: 'No secure connection: the receiver’s certificate could not be verified.',
    });
    expect(secured.requests).toEqual([]);
    const secure = createVerifiedTls([authority.certificatePem]);
    expect(await localChannels({ secure }).deliver(webhook, outgoing, never)).toMatchObject({
      outcome: 'delivered',
    });
  });
});

describe('the address of a receiver', () => {
  const refused = { outcome: 'failed', detail: 'The address policy of this server blocks this address.' };

  it('is refused permanently if it is in a private network, and nothing is sent', async () => {
    const channels = localChannels({ at: sink.url, allow: [] });
    for (const kind of KINDS)
      expect(await channels.deliver(channelAt(kind), outgoing, never)).toEqual(refused);
    expect(sink.requests).toEqual([]);
  });

  it('is resolved again for each attempt; an attempt fails without a connection if the address is now forbidden', async () => {
    const names = await startDnsServer();
    onTestFinished(() => names.stop());
    let asked = 0;
    names.onQuestion = (type, name) => {
      if (type === 'A') asked++;
      names.entries.set(name, { addresses: [asked <= 1 ? '127.0.0.1' : '127.0.0.2'], ttlSeconds: 0 });
    };
    const channels = localChannels({ servers: [names.address], allow: ['127.0.0.1/32'] });
    const webhook = channelAt('webhook', `http://flip.test:${sink.port}`);
    // Each attempt resolves the name once, and connects to the address that was checked.
    expect(await channels.deliver(webhook, outgoing, never)).toMatchObject({ outcome: 'delivered' });
    expect(asked).toBe(1);
    expect(await channels.deliver(webhook, outgoing, never)).toEqual({
      outcome: 'retry',
      detail: 'No connection: the name was not found, or nothing is listening there.',
    });
    expect(sink.requests).toHaveLength(1);
  });
});

describe('the receipt of a message, if the operator opened address ranges for channels', () => {
  const unexplained = { outcome: 'retry', detail: 'The message could not be delivered.' };

  it('is the same for closed ports, other services, refusals and unknown names in these ranges', async () => {
    const names = await startDnsServer({ 'inside.test': { addresses: ['127.0.0.2'] } });
    const closed = await listening(createServer());
    await closed.stop();
    const ssh = await listening(createTcpServer((socket) => socket.end('SSH-2.0-x\r\n')));
    onTestFinished(() => Promise.all([names.stop(), ssh.stop()]).then(() => undefined));
    const channels = localChannels({
      servers: [names.address],
      allow: ['127.0.0.1/32'],
      isForStrangers: true,
    });
    const outcomes: DeliveryOutcome[] = [];
    const post = async (address: string): Promise<number> =>
      outcomes.push(await channels.deliver(channelAt('ntfy', address), outgoing, never));
    for (const port of [closed.port, ssh.port]) await post(`http://127.0.0.1:${port}`);
    await post(`https://127.0.0.1:${sink.port}`);
    for (const host of ['unknown.test', 'inside.test', '10.0.0.7']) await post(`http://${host}:${sink.port}`);
    for (const status of [301, 401, 403, 404, 410, 503]) {
      sink.answer = () => ({ status });
      await post(sink.url);
    }
    expect(outcomes).toEqual(Array.from({ length: 12 }, () => unexplained));
    sink.answer = () => ({ status: 200 });
    expect(await channels.deliver(channelAt('ntfy'), outgoing, never)).toMatchObject({
      outcome: 'delivered',
    });
    promise('channel-answers');
  });

  it('says why a message to a public address was not delivered', async () => {
    sink.answer = () => ({ status: 401 });
    const policy = { ...createAddressPolicy(['127.0.0.1/32'], () => []), opens: () => false };
    const channels = localChannels({ policy, isForStrangers: true });
    expect(await channels.deliver(channelAt('ntfy'), outgoing, never)).toEqual({
      outcome: 'failed',
      detail: 'ntfy answered 401 Unauthorized: the access token is not valid.',
    });
  });
});

describe('memory', () => {
  it('does not grow with webhooks to a host with a bad certificate', async () => {
    const certificate = mintAuthority().issue({ ipAddresses: ['127.0.0.1'] });
    const secured = await startWebhookSink({ certificate });
    onTestFinished(() => secured.stop());
    const channels = localChannels();
    const webhook = channelAt('webhook', secured.url);
    const post = async (times: number): Promise<void> => {
      for (let sent = 0; sent < times; sent += 10)
        await Promise.all(Array.from({ length: 10 }, () => channels.deliver(webhook, outgoing, never)));
    };
    await post(100);
    const [before, open] = [heapBytes(), process.getActiveResourcesInfo().length];
    await post(1_000);
    // A socket that leaks with its TLS state takes about 50 kB; a timer or listener takes a few hundred bytes.
    expect(heapBytes() - before).toBeLessThan(2_000_000);
    await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(open + 5);
    expect(secured.requests).toEqual([]);
  });
});

function flood(stream: NodeJS.WritableStream & { destroyed?: boolean }): void {
  const more = (): void => {
    while (stream.destroyed !== true && stream.write(Buffer.alloc(65_536)));
    if (stream.destroyed !== true) stream.once('drain', more);
  };
  more();
}

function drip(stream: NodeJS.WritableStream): void {
  const timer = setInterval(() => stream.write('a'), 20);
  stream.on('close', () => clearInterval(timer));
}

function dripHead(stream: NodeJS.WritableStream): void {
  stream.write('HTTP/1.1 200 OK\r\nx: ');
  drip(stream);
}

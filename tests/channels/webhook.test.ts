import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../server/channels/webhook/webhook.ts';
import { alertContentOf } from '../kit/product/alert-content.ts';
import { localChannels } from '../kit/peers/http-receivers.ts';
import { startWebhookSink, type SunkRequest, type WebhookSink } from '../kit/peers/webhook-sink.ts';
import { promise } from '../security/promise.ts';

const never = new AbortController().signal;
const MINUTE = 60_000;

let sink: WebhookSink;
beforeAll(async () => {
  sink = await startWebhookSink();
});
afterAll(() => sink.stop());
beforeEach(() => void sink.requests.splice(0));

type Secrets = { secret: string; until: number | null }[];

async function deliverToSink(secrets: Secrets, more: { now?: number } = {}): Promise<SunkRequest> {
  const config = { kind: 'webhook', url: `${sink.url}/hook?a=b`, secrets } as const;
  const outgoing = { content: alertContentOf(), messageId: 'delivery-1', now: Date.now(), ...more };
  await localChannels().deliver(config, outgoing, never);
  const request = sink.requests.at(-1);
  if (request === undefined) throw new Error('nothing arrived');
  return request;
}

/** Verifies a request as a receiver does, with the library of the standard. */
const verify = (secret: string, { headers, body }: SunkRequest) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('a webhook', () => {
  it('is one signed JSON document about one event', async () => {
    const secret = newWebhookSecret();
    const request = await deliverToSink([{ secret, until: null }]);
    const content = alertContentOf();
    expect(verify(secret, request)).toEqual({
      type: 'certificate.expiring',
      timestamp: new Date(content.alertedAt).toISOString(),
      data: content.data,
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook?a=b',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'delivery-1',
        'user-agent': 'Certlantern',
      },
    });
  });

  it('fails verification with another secret or after any change', async () => {
    const secret = newWebhookSecret();
    const request = await deliverToSink([{ secret, until: null }]);
    expect(() => verify(newWebhookSecret(), request)).toThrow('No matching signature');
    expect(() => verify(secret, { ...request, body: `${request.body} ` })).toThrow('No matching signature');
    const renamed = { ...request, headers: { ...request.headers, 'webhook-id': 'delivery-2' } };
    expect(() => verify(secret, renamed)).toThrow('No matching signature');
    promise('signed-webhooks');
  });

  it('fails verification when it is replayed six minutes later', async () => {
    const secret = newWebhookSecret();
    const request = await deliverToSink([{ secret, until: null }], { now: Date.now() - 6 * MINUTE });
    expect(() => verify(secret, request)).toThrow('too old');
    promise('signed-webhooks');
  });

  it('keeps its id and body across attempts, with a new timestamp for each', async () => {
    const secrets = [{ secret: newWebhookSecret(), until: null }];
    const now = Date.now();
    const first = await deliverToSink(secrets, { now: now - MINUTE });
    const second = await deliverToSink(secrets, { now });
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])).toBe(60);
    expect(second.headers['webhook-timestamp']).toBe(String(Math.floor(now / 1_000)));
    expect(second.body).toBe(first.body);
  });

  it('is signed with both secrets during a rotation, and then only with the new one', async () => {
    const [before, after] = [newWebhookSecret(), newWebhookSecret()];
    const now = Date.now();
    const secrets = [
      { secret: after, until: null },
      { secret: before, until: now + MINUTE },
    ];
    const during = await deliverToSink(secrets, { now });
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(verify(before, during)).toEqual(verify(after, during));
    const later = await deliverToSink(secrets, { now: now + MINUTE });
    expect(verify(after, later)).toMatchObject({ type: 'certificate.expiring' });
    expect(() => verify(before, later)).toThrow('No matching signature');
  });

  it('has a random signing secret of 256 bits', () => {
    const secrets = Array.from({ length: 50 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/);
  });
});

import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PADDLE = {
  apiKey: 'pdl_sdbx_apikey_of_the_tests',
  clientToken: 'test_client_token_of_the_tests',
  webhookSecret: 'pdl_ntfset_secret_of_the_tests',
  priceId: 'pri_01premium',
  productId: 'pro_01premium',
};

/** A fake of the parts of Paddle's API that the product uses, on loopback. `asked` lists the requests. */
export interface PaddleApi {
  url: string;
  /** Requests so far, each as "METHOD path", without the query. */
  asked: string[];
  price: { status: 'active' | 'archived'; amount: string; interval: 'month' | 'year' } | null;
  /** Email addresses of customers by id. */
  customers: Map<string, string>;
  /** Statuses of subscriptions by id. */
  subscriptions: Map<string, string>;
  /** Ends of the paid periods of transactions by id, ISO 8601. */
  periodEnds: Map<string, string>;
  /** How the API answers. `broken`: with 500; `silent`: never; `html`: with a page, as a proxy in between would. */
  behave(behaviour: 'well' | 'broken' | 'silent' | 'html'): void;
  stop(): Promise<void>;
}

export async function startPaddleApi(): Promise<PaddleApi> {
  let behaviour: Parameters<PaddleApi['behave']>[0] = 'well';
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const call = `${request.method} ${(request.url ?? '').split('?')[0]}`;
    api.asked.push(call);
    if (behaviour === 'silent') return;
    if (behaviour === 'html') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return;
    }
    const isKnown = request.headers.authorization?.toLowerCase() === `bearer ${PADDLE.apiKey}`;
    const { status, ...json } =
      behaviour === 'broken'
        ? refusal(500, 'internal_error')
        : isKnown
          ? answerTo(api, call, body)
          : refusal(403, 'authentication_malformed');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  }
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: PaddleApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    price: { status: 'active', amount: '499', interval: 'month' },
    customers: new Map(),
    subscriptions: new Map(),
    periodEnds: new Map(),
    behave: (next) => void (behaviour = next),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return api;
}

interface Reply {
  status: number;
  data?: object;
  error?: object;
}

const refusal = (status: number, code: string): Reply => ({
  status,
  error: { type: 'request_error', code, detail: `Refused: ${code}`, documentation_url: 'https://x.example' },
});
const NOT_FOUND = refusal(404, 'not_found');

function answerTo(api: PaddleApi, call: string, body: Record<string, unknown>): Reply {
  const [, collection = '', id = '', action] = call.split('/');
  if (call.startsWith('GET /prices/')) return id === PADDLE.priceId ? price(api) : NOT_FOUND;
  if (collection === 'customers') return customer(api, id, action);
  if (collection === 'subscriptions') return subscription(api, { id, action, body });
  const endsAt = api.periodEnds.get(id);
  if (collection !== 'transactions' || endsAt === undefined) return NOT_FOUND;
  return {
    status: 200,
    data: { id, billing_period: { starts_at: endsAt, ends_at: endsAt }, items: [], payments: [] },
  };
}

function price({ price: found }: PaddleApi): Reply {
  if (found === null) return NOT_FOUND;
  return {
    status: 200,
    data: {
      id: PADDLE.priceId,
      product_id: PADDLE.productId,
      description: 'Premium, monthly',
      status: found.status,
      billing_cycle: { interval: found.interval, frequency: 1 },
      unit_price: { amount: found.amount, currency_code: 'USD' },
      quantity: { minimum: 1, maximum: 1 },
      product: { id: PADDLE.productId, name: 'Premium', status: 'active' },
    },
  };
}

function customer({ customers, url }: PaddleApi, id: string, action: string | undefined): Reply {
  const email = customers.get(id);
  if (email === undefined) return NOT_FOUND;
  if (action === undefined) return { status: 200, data: { id, email, status: 'active' } };
  const overview = `https://customer-portal.example.test/${id}?at=${encodeURIComponent(url)}`;
  return {
    status: 201,
    data: { id: 'cpls_1', customer_id: id, urls: { general: { overview }, subscriptions: [] } },
  };
}

function subscription(
  { subscriptions }: PaddleApi,
  { id, action, body }: { id: string; action: string | undefined; body: Record<string, unknown> },
): Reply {
  const status = subscriptions.get(id);
  if (status === undefined) return NOT_FOUND;
  if (action === 'cancel') {
    if (status === 'canceled') return refusal(400, 'subscription_is_canceled_action_invalid');
    if (status === 'locked') return refusal(400, 'subscription_locked_renewal');
    if (body['effective_from'] === 'immediately') subscriptions.set(id, 'canceled');
  }
  const billing_cycle = { interval: 'month', frequency: 1 };
  return { status: 200, data: { id, status: subscriptions.get(id), items: [], billing_cycle } };
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Returns a webhook as Paddle sends it: the body, and the header that signs it at `at` (ms UTC, by default now). */
export function signedWebhook(
  event: object,
  { secret = PADDLE.webhookSecret, at = Date.now() }: { secret?: string; at?: number } = {},
): { body: string; headers: Record<string, string> } {
  // Indented, so that the body differs from JSON.stringify(event): the server must verify the bytes as received.
  const body = JSON.stringify(event, null, 1);
  const seconds = Math.floor(at / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}:${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'paddle-signature': `ts=${seconds};h1=${signature}` };
  return { body, headers };
}

interface EventFields {
  /** Id of the event. */
  id?: string;
  type?: string;
  /** ms UTC */
  at: number;
}

export interface SubscriptionFields extends EventFields {
  subscription: string;
  customer: string;
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  reference?: string;
  price?: string;
  product?: string;
  /** [from, to], ms UTC */
  period?: [number, number] | null;
  cancelsAt?: number | null;
}

const iso = (instant: number) => new Date(instant).toISOString();

/** Returns an event, `subscription.updated` by default. */
export function subscriptionEvent(fields: SubscriptionFields): object {
  const { period = null, cancelsAt = null, reference } = fields;
  return {
    ...envelope(fields, 'subscription.updated'),
    data: {
      id: fields.subscription,
      status: fields.status,
      customer_id: fields.customer,
      address_id: 'add_01',
      business_id: null,
      currency_code: 'USD',
      collection_mode: 'automatic',
      billing_cycle: { interval: 'month', frequency: 1 },
      current_billing_period: period && { starts_at: iso(period[0]), ends_at: iso(period[1]) },
      scheduled_change:
        cancelsAt === null ? null : { action: 'cancel', effective_at: iso(cancelsAt), resume_at: null },
      items: [
        {
          status: 'active',
          quantity: 1,
          recurring: true,
          price: {
            id: fields.price ?? PADDLE.priceId,
            product_id: fields.product ?? PADDLE.productId,
            unit_price: { amount: '499', currency_code: 'USD' },
          },
        },
      ],
      custom_data: reference === undefined ? null : { account: reference },
    },
  };
}

export interface AdjustmentFields extends EventFields {
  subscription: string;
  action?: 'refund' | 'chargeback' | 'chargeback_reverse' | 'credit';
  kind?: 'full' | 'partial';
  status?: 'pending_approval' | 'approved' | 'rejected' | 'reversed';
  transaction?: string;
}

/** Returns an event, by default `adjustment.updated` of an approved full refund. */
export function adjustmentEvent(fields: AdjustmentFields): object {
  return {
    ...envelope(fields, 'adjustment.updated'),
    data: {
      id: 'adj_01',
      action: fields.action ?? 'refund',
      type: fields.kind ?? 'full',
      status: fields.status ?? 'approved',
      transaction_id: fields.transaction ?? 'txn_01',
      subscription_id: fields.subscription,
      customer_id: 'ctm_01',
      currency_code: 'USD',
      items: [],
      totals: { subtotal: '499', tax: '0', total: '499', fee: '0', earnings: '0', currency_code: 'USD' },
    },
  };
}

function envelope({ id = `evt_${randomUUID()}`, type, at }: EventFields, usual: string) {
  return {
    event_id: id,
    event_type: type ?? usual,
    occurred_at: iso(at),
    notification_id: `ntf_${randomUUID()}`,
  };
}

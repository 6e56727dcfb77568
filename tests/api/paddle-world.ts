import { onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createPaddle } from '../../server/providers/payments/paddle.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  PADDLE,
  type PaddleApi,
  signedWebhook,
  startPaddleApi,
  subscriptionEvent,
  type SubscriptionFields,
} from '../kit/providers/paddle-api.ts';
import { createClient, type Person, signUp } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';

export const DAY = 86_400_000;

export interface PaddleWorld {
  api: TestApi;
  paddle: PaddleApi;
  /** The operator's log lines, as JSON. */
  logged: string[];
  /** Posts a webhook with a valid signature, unless `headers` replace it. */
  deliver: (
    event: object,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; code: string | null }>;
  /** Returns an event about Alice's subscription, `after` ms from now; active by default. */
  subscriptionEventOf: (change: Partial<Omit<SubscriptionFields, 'at'>> & { after?: number }) => object;
  /** Signs somebody up and opens a checkout. */
  buyer: (name: string) => Promise<Person & { reference: string }>;
  isPremium: (person: Person) => Promise<boolean>;
  /** Returns the statuses of the account's subscriptions by id. */
  subscriptions: (person: Person) => Promise<Record<string, string>>;
  /** Marks the person's address as verified. */
  verify: (person: Person) => Promise<void>;
}

/** Starts the product with Paddle as its payment provider, against a fake of Paddle's API. */
export async function startPaddleWorld(
  open: () => Promise<Store>,
  { deadlineMs = 15_000 } = {},
): Promise<PaddleWorld> {
  const paddle = await startPaddleApi();
  onTestFinished(() => paddle.stop());
  const logged: string[] = [];
  const note = (...entry: unknown[]) =>
    void logged.push(
      JSON.stringify(entry, (_, value: unknown) =>
        value instanceof Error ? `${value.name}: ${value.message} ${value.stack}` : value,
      ),
    );
  const store = await open();
  const startedAt = Date.now();
  const payments = createPaddle({
    ...PADDLE,
    apiUrl: paddle.url,
    deadlineMs,
    monotonic: () => api.clock.monotonic(),
  });
  const api: TestApi = await startApi(() => Promise.resolve(store), {
    payments,
    log: { info: note, warn: note, error: note },
    config: { billing: { mode: 'paddle', clientToken: PADDLE.clientToken, environment: 'sandbox' } },
  });
  const client = createClient(api.send);

  return {
    api,
    paddle,
    logged,
    async deliver(event, headers = {}) {
      const webhook = signedWebhook(event);
      const answer = await client.send('/api/payment/webhook', {
        method: 'POST',
        body: webhook.body,
        headers: { ...webhook.headers, ...headers },
      });
      const json = (await answer.json()) as { code?: string };
      return { status: answer.status, code: json.code ?? null };
    },
    subscriptionEventOf({ after = 0, ...change }) {
      const subscription = { subscription: 'sub_1', customer: 'ctm_1', status: 'active' as const };
      const period: [number, number] = [startedAt, startedAt + 30 * DAY];
      return subscriptionEvent({ ...subscription, period, ...change, at: startedAt + after });
    },
    async buyer(name) {
      const person = await signUp(api.send, { name });
      const { data } = (await person.ask(CALLS.openCheckout, { body: { price_id: PADDLE.priceId } })).ok;
      return { ...person, reference: data.reference };
    },
    async isPremium(person) {
      return (await person.ask(CALLS.premium)).ok.data;
    },
    async subscriptions(person) {
      const rows = await store.db
        .selectFrom('subscriptions')
        .select(['id', 'status'])
        .where('account_id', '=', person.id)
        .execute();
      return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
    },
    async verify(person) {
      await store.db.updateTable('accounts').set({ email_verified: 1 }).where('id', '=', person.id).execute();
    },
  };
}

import type { Hono } from 'hono';
import type { Store } from '../../store/db/open-store.ts';
import { subscriptionById } from '../../store/billing/subscriptions.ts';
import type { AppEnv } from '../http/app-env.ts';
import { derivedKey } from '../auth/derived-keys.ts';

/** What test mode of payments has in the place of a network; `app` is asked for when there is something to deliver. */
export function linkTestMode(options: { store: Store; sessionSecret: string; app: () => Hono<AppEnv> }) {
  const { store, sessionSecret, app } = options;
  return {
    secret: derivedKey(sessionSecret, 'test-payments').toString('hex'),
    subscriptionOf: (id: string) => subscriptionById(store, id),
    async deliver({ body, signature }: { body: string; signature: string }): Promise<number> {
      const headers = { 'content-type': 'application/json', 'paddle-signature': signature };
      const answer = await app().request('/api/payment/webhook', { method: 'POST', headers, body });
      return answer.status;
    },
  };
}

import { initializePaddle } from '@paddle/paddle-js';
import type { Paddle } from '@paddle/paddle-js';
import type { CheckoutWire } from '../../../contract/payment.ts';
import { outcomeOf } from './completion.ts';
import type { CheckoutOutcome } from './completion.ts';

// The very address that paddle-js would load. It remembers a failure for as long as the page lives, so the script is
// brought in here, where a second attempt is one, and paddle-js then finds it there.
const SCRIPT_ADDRESS = 'https://cdn.paddle.com/paddle/v2/paddle.js';
const PATIENCE_MS = 20_000;

let loading: Promise<void> | null = null;

/** Brings in the payment provider's script, once. Rejects where it is blocked; the next call then tries again. */
export function loadPaddle(): Promise<void> {
  if (window.PaddleBillingV1) return Promise.resolve();
  loading ??= injectScript().finally(() => {
    loading = null;
  });
  return loading;
}

function injectScript(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT_ADDRESS;
    script.async = true;
    const fail = (reason: string) => {
      clearTimeout(timer);
      script.remove();
      reject(new Error(reason));
    };
    const timer = setTimeout(() => fail('The checkout script did not arrive in time'), PATIENCE_MS);
    script.addEventListener('error', () => fail('The checkout script could not be loaded'));
    script.addEventListener('load', () => {
      if (!window.PaddleBillingV1) return fail('The checkout script is not what was expected');
      clearTimeout(timer);
      resolve();
    });
    document.head.append(script);
  });
}

let paddle: Paddle | undefined;
// Paddle.js takes one callback for the whole page; the checkout that was opened last is the one it speaks of.
let hearLast: (outcome: CheckoutOutcome) => void = () => undefined;

/** The seller's public token, and which of Paddle's environments it belongs to. */
export interface PaddleAccount {
  client_token: string;
  environment: 'live' | 'sandbox';
}

async function preparePaddle(
  { client_token: token, environment }: PaddleAccount,
  customerId: string,
): Promise<Paddle> {
  const pwCustomer = customerId === '' ? {} : { id: customerId };
  await loadPaddle();
  if (paddle) {
    paddle.Update({ pwCustomer });
    return paddle;
  }
  paddle = await initializePaddle({
    token,
    environment: environment === 'live' ? 'production' : environment,
    pwCustomer,
    eventCallback: (event) => {
      const outcome = outcomeOf(event);
      if (outcome) hearLast(outcome);
    },
  });
  if (!paddle) throw new Error('The checkout script is not what was expected');
  return paddle;
}

export interface PaddleCheckout {
  account: PaddleAccount;
  checkout: CheckoutWire;
  theme: 'light' | 'dark';
  onOutcome: (outcome: CheckoutOutcome) => void;
}

/** Opens the checkout over the page. Rejects where its script is blocked. */
export async function openPaddleCheckout(order: PaddleCheckout): Promise<void> {
  const { checkout, theme } = order;
  const { customer_id: customerId } = checkout;
  const { Checkout } = await preparePaddle(order.account, customerId);
  hearLast = order.onOutcome;
  Checkout.open({
    items: [{ priceId: checkout.price_id, quantity: 1 }],
    customer: customerId === '' ? { email: checkout.email } : { id: customerId },
    // The webhook finds the account by it.
    customData: { account: checkout.reference },
    settings: {
      displayMode: 'overlay',
      variant: 'one-page',
      theme,
      // The customer is who is signed in here.
      allowLogout: false,
      successUrl: new URL('/dashboard', window.location.href).href,
    },
  });
}

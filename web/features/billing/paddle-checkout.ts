import { initializePaddle, type Paddle } from '@paddle/paddle-js';
import type { CheckoutWire } from '../../../contract/payment.ts';
import { type CheckoutOutcome, outcomeOf } from './completion.ts';

// The URL that paddle-js would load. We load the script ourselves, because paddle-js remembers a failed load until the page
// is reloaded. Then paddle-js finds the script in the page.
const SCRIPT_ADDRESS = 'https://cdn.paddle.com/paddle/v2/paddle.js';
const CHECKOUT_TIMEOUT_MS = 20_000;

let loading: Promise<void> | null = null;

/** Loads the payment provider's script once. Rejects if it is blocked; the next call retries. */
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
    const timer = setTimeout(() => fail('The checkout script took too long to load'), CHECKOUT_TIMEOUT_MS);
    script.addEventListener('error', () => fail('The checkout script could not be loaded'));
    script.addEventListener('load', () => {
      if (!window.PaddleBillingV1) return fail('The checkout script has unexpected content');
      clearTimeout(timer);
      resolve();
    });
    document.head.append(script);
  });
}

let paddle: Paddle | undefined;
// Paddle.js takes one callback for the whole page, so events belong to the checkout that was opened last.
let notifyLast: (outcome: CheckoutOutcome) => void = () => undefined;

/** The seller's public token and its Paddle environment. */
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
      if (outcome) notifyLast(outcome);
    },
  });
  if (!paddle) throw new Error('The checkout script has unexpected content');
  return paddle;
}

export interface PaddleCheckout {
  account: PaddleAccount;
  checkout: CheckoutWire;
  theme: 'light' | 'dark';
  onOutcome: (outcome: CheckoutOutcome) => void;
}

/** Opens the checkout over the page. Rejects if its script is blocked. */
export async function openPaddleCheckout(order: PaddleCheckout): Promise<void> {
  const { checkout, theme } = order;
  const { customer_id: customerId } = checkout;
  const { Checkout } = await preparePaddle(order.account, customerId);
  notifyLast = order.onOutcome;
  Checkout.open({
    items: [{ priceId: checkout.price_id, quantity: 1 }],
    customer: customerId === '' ? { email: checkout.email } : { id: customerId },
    // The webhook finds the account by this reference.
    customData: { account: checkout.reference },
    settings: {
      displayMode: 'overlay',
      variant: 'one-page',
      theme,
      // The customer stays the signed-in user.
      allowLogout: false,
      successUrl: new URL('/dashboard', window.location.href).href,
    },
  });
}

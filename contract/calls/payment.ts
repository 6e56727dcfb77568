import { z } from 'zod';
import { type Call, emptyEnvelope, envelope } from './call.ts';
import {
  billingSchema,
  checkoutRequestSchema,
  checkoutSchema,
  productSchema,
  testEventSchema,
  testPaidSchema,
  testPaymentSchema,
  testSubscriptionSchema,
} from '../payment.ts';

export const listProducts = {
  method: 'get',
  path: '/payment/products',
  access: 'session',
  summary: 'List the products for sale; `not_found` if this deployment sells nothing',
  response: envelope(z.array(productSchema)),
  status: 200,
  problems: ['not_found', 'payments_unavailable'],
} as const satisfies Call;

export const openCheckout = {
  method: 'post',
  path: '/payment/checkout',
  access: 'session',
  summary: 'Get the parameters that open the checkout; refused if there is nothing to buy',
  body: checkoutRequestSchema,
  response: envelope(checkoutSchema),
  status: 200,
  problems: ['not_found', 'price_gone', 'already_subscribed', 'payments_unavailable'],
} as const satisfies Call;

export const billing = {
  method: 'get',
  path: '/payment/billing',
  access: 'session',
  cost: ['billingByAccount'],
  summary: 'Get the URL of the payment provider’s customer portal; empty if there is nothing to show',
  response: envelope(billingSchema),
  status: 200,
  problems: ['email_not_verified', 'billing_elsewhere', 'payments_unavailable'],
} as const satisfies Call;

export const paymentWebhook = {
  method: 'post',
  path: '/payment/webhook',
  access: 'public',
  summary:
    'Receive events of the payment provider, signed over the raw body; only this call writes subscriptions',
  response: emptyEnvelope,
  status: 200,
  problems: ['invalid_signature', 'payments_unavailable', 'not_found'],
} as const satisfies Call;

export const testPay = {
  method: 'post',
  path: '/payment/test/pay',
  access: 'session',
  summary: 'Test mode: complete a checkout without payment',
  body: testPaymentSchema,
  response: envelope(testPaidSchema),
  status: 200,
  problems: ['not_found', 'price_gone', 'already_subscribed', 'payments_unavailable'],
} as const satisfies Call;

export const testSubscription = {
  method: 'get',
  path: '/payment/test/subscription',
  access: 'session',
  summary: 'Test mode: get the subscription at the simulated provider',
  response: envelope(testSubscriptionSchema),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const testEvent = {
  method: 'post',
  path: '/payment/test/event',
  access: 'session',
  summary: 'Test mode: simulate an event of the subscription',
  body: testEventSchema,
  response: emptyEnvelope,
  status: 200,
  problems: ['not_found', 'payments_unavailable'],
} as const satisfies Call;

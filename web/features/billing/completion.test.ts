import { describe, expect, it } from 'vitest';
import { outcomeOf } from './completion.ts';
import { spec } from '../../../tests/spec/spec.ts';

const paid = {
  status: 'completed',
  currency_code: 'USD',
  totals: { subtotal: 4.99, tax: 0, total: 4.99 },
  transaction_id: 'txn_01',
};

describe('a checkout event', () => {
  it.each(['completed', 'billed'])('reports a purchase if the status is %s', (status) => {
    expect(outcomeOf({ name: 'checkout.completed', data: { ...paid, status } })).toEqual({
      kind: 'completed',
      completion: { currency: 'USD', value: 4.99, transactionId: 'txn_01' },
    });
  });

  it.each(['draft', 'ready', 'canceled', 'past_due'])('does not count the status %s as paid', (status) => {
    expect(outcomeOf({ name: 'checkout.completed', data: { ...paid, status } })).toBeNull();
    spec('4A.05', 'A checkout has the statuses draft, ready, completed, billed, canceled and past_due');
  });

  it('counts as a completed payment even if it has no totals', () => {
    expect(outcomeOf({ name: 'checkout.completed', data: {} })).toEqual({
      kind: 'completed',
      completion: null,
    });
  });

  it('has an outcome if the checkout completed, closed or failed, and none if it was only loaded', () => {
    expect(outcomeOf({ name: 'checkout.loaded', data: { status: 'ready' } })).toBeNull();
    expect(outcomeOf({ name: 'checkout.completed', data: paid })).toMatchObject({ kind: 'completed' });
    expect(outcomeOf({ name: 'checkout.closed', data: { status: 'draft' } })).toEqual({ kind: 'closed' });
    expect(outcomeOf({ name: 'checkout.error', detail: 'The price is archived.' })).toEqual({
      kind: 'failed',
      reason: 'The price is archived.',
    });
    expect(outcomeOf({ name: 'checkout.failed' })).toEqual({ kind: 'failed', reason: 'checkout.failed' });
    spec('4A.06', 'The checkout tells that it loaded, closed, completed, erred or failed');
  });

  it.each([{ name: 'checkout.payment.failed' }, {}, null])('is ignored: %j', (event) =>
    expect(outcomeOf(event)).toBeNull(),
  );
});

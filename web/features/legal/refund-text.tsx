import type { ReactNode } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';

/** How what is sold here is paid for, ended and given back. */
export function RefundText({ contact }: { contact: ReactNode }) {
  const { billing } = usePublicConfig();
  const guarantee = (
    <p>
      First-time premium users have a 7-day money-back guarantee: ask by email to {contact} within 7 days of
      the first payment. There are no prorated refunds.
    </p>
  );
  if (billing.mode === 'paddle' && billing.environment === 'live')
    return (
      <>
        <p>
          Premium is a monthly subscription, billed through the payment provider Paddle. You can cancel it at
          any time under Billing in the menu of your account; it then lasts until the end of the month that is
          paid.
        </p>
        {guarantee}
      </>
    );
  if (billing.mode === 'none') return <p>Nothing is sold here, so there is nothing to refund.</p>;
  return (
    <>
      <p>
        {billing.mode === 'unset'
          ? 'Nothing is sold here at present, so there is nothing to refund.'
          : 'Nothing is sold here at present: the checkout is a test, and no money moves.'}
      </p>
      <p>
        Should a paid subscription be offered, it will be billed monthly through a payment provider and can be
        cancelled at any time.
      </p>
      {guarantee}
    </>
  );
}

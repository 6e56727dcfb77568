import { useRef } from 'react';
import type { CheckoutWire, ProductWire } from '../../../contract/payment.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogProps, Form } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form/field.tsx';
import { priceText } from './price.ts';
import { TestModeMark } from './test-mode-mark.tsx';

interface TestCheckoutDialogProps extends Pick<DialogProps, 'focusAfterClose'> {
  /** The order to pay; null while closed. */
  order: { product: ProductWire; checkout: CheckoutWire } | null;
  isPaying: boolean;
  onPay: () => void;
  onClose: () => void;
}

/** Stands in for the payment provider's checkout in test mode, with the same steps. */
export function TestCheckoutDialog({
  order,
  isPaying,
  onPay,
  onClose,
  focusAfterClose,
}: TestCheckoutDialogProps) {
  const { product_name: productName } = usePublicConfig();
  const pay = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={order !== null}
      onOpenChange={(open) => (open || isPaying ? undefined : onClose())}
      title="Checkout"
      focusAfterClose={focusAfterClose}
      focusFirst={() => pay.current}
      hasCross
    >
      <TestModeMark>Test mode: no money moves</TestModeMark>
      {order && (
        <Form onSubmit={onPay}>
          <dl className="mt-5 border-y border-line text-body">
            <Line term={`${productName} Premium, monthly`}>{priceText(order.product)}</Line>
            <Line term="Due today" isSum>
              {priceText(order.product)}
            </Line>
          </dl>
          <Field className="mt-4" label="Email" type="email" value={order.checkout.email} readOnly />
          <p className="mt-3 text-label text-fg-2">
            The real checkout asks for a card here. This one does not.
          </p>
          <Button ref={pay} type="submit" size="large" className="mt-5 w-full" busy={isPaying}>
            Pay {priceText(order.product)}
          </Button>
        </Form>
      )}
    </Dialog>
  );
}

function Line({ term, isSum = false, children }: { term: string; isSum?: boolean; children: string }) {
  return (
    <div className={`flex justify-between gap-4 py-3 ${isSum ? 'border-t border-line font-semibold' : ''}`}>
      <dt className={isSum ? '' : 'text-fg-2'}>{term}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

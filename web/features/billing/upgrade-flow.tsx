import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CheckoutWire, ProductWire } from '../../../contract/payment.ts';
import { track } from '../../lib/analytics.ts';
import { ApiError, messageOf } from '../../lib/api-client.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useRereadPlan } from '../../lib/standing.ts';
import { shownTheme } from '../../lib/theme.ts';
import type { UpgradeReason } from '../../lib/upgrade.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import type { CheckoutOutcome, Completion } from './completion.ts';
import { payInTestMode, requestCheckout } from './payment-calls.ts';
import { inMajorUnits } from './price.ts';
import { TestCheckoutDialog } from './test-checkout-dialog.tsx';
import { UpgradeDialog } from './upgrade-dialog.tsx';
import { useAwaitedPremium } from './use-awaited-premium.ts';
import { useProducts } from './use-products.ts';

const BLOCKED =
  'The checkout could not be loaded. Something in this browser or network blocks cdn.paddle.com: allow it for this page, or use another browser, and press the button again.';

interface Order {
  product: ProductWire;
  checkout: CheckoutWire;
}

export interface UpgradeFlowProps {
  /** Why the offer is open; null: it is not. */
  reason: UpgradeReason | null;
  onClose: () => void;
  /** Where the focus goes in the end. */
  focusAfterClose: () => HTMLElement | null;
}

/** From the offer over the checkout to Premium. */
export function UpgradeFlow({ reason, onClose, focusAfterClose }: UpgradeFlowProps) {
  const isOpen = reason !== null;
  const { billing } = usePublicConfig();
  const paddle = billing.mode === 'paddle' ? billing : null;
  const products = useProducts(isOpen);
  const awaitPremium = useAwaitedPremium();
  const rereadPlan = useRereadPlan();
  const navigate = useNavigate();
  const [isBlocked, setIsBlocked] = useState(false);
  const [testOrder, setTestOrder] = useState<Order | null>(null);

  // On its way while the offer is read; pressing the button is what says that it did not come.
  const wantsPaddle = isOpen && paddle !== null;
  useEffect(() => {
    if (!wantsPaddle) return;
    const load = async () => {
      try {
        await (await import('./paddle-checkout.ts')).loadPaddle();
      } catch (error) {
        console.warn('The checkout library could not be loaded.', error);
      }
    };
    void load();
  }, [wantsPaddle]);

  const close = () => {
    setIsBlocked(false);
    onClose();
  };

  const onRefused = (error: unknown) => {
    const code = error instanceof ApiError ? error.code : null;
    if (code === 'price_gone') void products.refetch();
    if (code !== 'already_subscribed') return toast.error(messageOf(error));
    rereadPlan();
    setTestOrder(null);
    close();
    return toast.info(messageOf(error));
  };

  const onCompleted = (completion: Completion | null) => {
    if (completion)
      track({
        name: 'purchase',
        currency: completion.currency,
        value: completion.value,
        transaction_id: completion.transactionId,
      });
    awaitPremium();
  };

  const onOutcome = (outcome: CheckoutOutcome) => {
    if (outcome.kind === 'completed') onCompleted(outcome.completion);
    else if (outcome.kind === 'closed') focusAfterClose()?.focus();
    else toast.error(`The checkout reported a problem: ${outcome.reason}`);
  };

  const openCheckout = async ({ product, checkout }: Order): Promise<'opened' | 'blocked'> => {
    if (paddle === null) {
      setTestOrder({ product, checkout });
      return 'opened';
    }
    try {
      const { openPaddleCheckout } = await import('./paddle-checkout.ts');
      await openPaddleCheckout({ account: paddle, checkout, theme: shownTheme(), onOutcome });
      return 'opened';
    } catch (error) {
      console.warn('The checkout could not be opened.', error);
      return 'blocked';
    }
  };

  const start = useWrite({
    mutationFn: async (product: ProductWire) => {
      setIsBlocked(false);
      return await openCheckout({ product, checkout: await requestCheckout(product.price_id) });
    },
    onSuccess: (opened, { currency, unit_price: price }) => {
      if (opened === 'blocked') return setIsBlocked(true);
      track({ name: 'begin_checkout', currency, value: inMajorUnits(price, currency) });
      close();
    },
    onError: onRefused,
  });

  const pay = useWrite({
    mutationFn: ({ checkout }: Order) => payInTestMode(checkout),
    onSuccess: ({ currency, total, transaction_id: transactionId }) => {
      setTestOrder(null);
      onCompleted({ currency, value: inMajorUnits(total, currency), transactionId });
      void navigate({ to: '/dashboard' });
    },
    onError: onRefused,
  });

  return (
    <>
      <UpgradeDialog
        reason={reason}
        onClose={close}
        product={products.data?.[0] ?? null}
        isLoading={products.isFetching && products.data === undefined}
        onRetry={() => void products.refetch()}
        isStarting={start.isPending}
        onStart={start.mutate}
        problem={isBlocked ? BLOCKED : null}
        focusAfterClose={focusAfterClose}
      />
      <TestCheckoutDialog
        order={testOrder}
        isPaying={pay.isPending}
        onPay={() => testOrder && pay.mutate(testOrder)}
        onClose={() => setTestOrder(null)}
        focusAfterClose={focusAfterClose}
      />
    </>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { openCheckout, testPay } from '../../../contract/calls/payment.ts';
import type { CheckoutWire, ProductWire } from '../../../contract/payment.ts';
import { track } from '../../lib/browser/analytics.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { useRereadPlan } from '../../lib/account/standing.ts';
import { shownTheme } from '../../lib/browser/theme.ts';
import { trialStarted, useTrialOffer } from '../../lib/account/trial.ts';
import type { UpgradeReason } from '../../lib/account/plan.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import type { CheckoutOutcome, Completion } from './completion.ts';
import { inMajorUnits } from './price.ts';
import { useProduct } from './products.ts';
import { TestCheckoutDialog } from './test-checkout-dialog.tsx';
import { UpgradeDialog } from './upgrade-dialog.tsx';
import { pendingPurchase } from './pending-purchase.ts';
import { useAwaitedPremium } from './use-awaited-premium.ts';

const BLOCKED =
  'Could not load the checkout. Your browser or network may be blocking cdn.paddle.com. Allow it for this page or use another browser, then press the button again.';

interface Order {
  product: ProductWire;
  checkout: CheckoutWire;
}

export interface UpgradeFlowProps {
  /** Why the dialog is open; null while closed. */
  reason: UpgradeReason | null;
  onClose: () => void;
  /** Called if the user closes the dialog or the checkout without paying. */
  onDeclined: () => void;
  /** Where focus goes when everything is closed. */
  focusAfterClose: () => HTMLElement | null;
}

/** Loads the checkout library while the user reads the offer. A failed load is reported only when they press the button. */
function usePreloadedPaddle(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const load = async () => {
      try {
        await (await import('./paddle-checkout.ts')).loadPaddle();
      } catch (error) {
        console.warn('The checkout library could not be loaded.', error);
      }
    };
    void load();
  }, [isWanted]);
}

interface CheckoutOptions extends Pick<UpgradeFlowProps, 'onDeclined' | 'focusAfterClose'> {
  /** Closes the offer. */
  onClose: () => void;
  /** Called if the price has changed. */
  onPriceGone: () => void;
}

/** Opens the checkout of Paddle or of the test mode, and waits for Premium after the payment. */
function useCheckout({ onClose, onPriceGone, onDeclined, focusAfterClose }: CheckoutOptions) {
  const { billing } = usePublicConfig();
  const awaitPremium = useAwaitedPremium();
  const rereadPlan = useRereadPlan();
  const navigate = useNavigate();
  const [isBlocked, setIsBlocked] = useState(false);
  const [testOrder, setTestOrder] = useState<Order | null>(null);
  const close = () => {
    setIsBlocked(false);
    onClose();
  };

  const onError = (error: unknown) => {
    const code = error instanceof ApiError ? error.code : null;
    if (code === 'price_gone') onPriceGone();
    if (code !== 'already_subscribed') return toast.error(messageOf(error));
    rereadPlan();
    setTestOrder(null);
    close();
    return toast.info(messageOf(error));
  };
  const onCompleted = (completion: Completion | null) => {
    if (completion) {
      const { currency, value, transactionId } = completion;
      track({ name: 'purchase', currency, value, transaction_id: transactionId });
    }
    awaitPremium();
  };
  const onOutcome = (outcome: CheckoutOutcome) => {
    if (outcome.kind === 'completed') onCompleted(outcome.completion);
    else if (outcome.kind === 'closed') {
      focusAfterClose()?.focus();
      // A checkout can also be closed after the payment.
      if (pendingPurchase() === null) onDeclined();
    } else toast.error(`The checkout reported a problem: ${outcome.reason}`);
  };
  /** Opens the checkout. Resolves to false if the browser or the network blocks it. */
  const show = async ({ product, checkout }: Order): Promise<boolean> => {
    if (billing.mode !== 'paddle') {
      setTestOrder({ product, checkout });
      return true;
    }
    try {
      const { openPaddleCheckout } = await import('./paddle-checkout.ts');
      await openPaddleCheckout({ account: billing, checkout, theme: shownTheme(), onOutcome });
      return true;
    } catch (error) {
      console.warn('Could not open the checkout.', error);
      return false;
    }
  };

  const start = useWrite({
    mutationFn: async (product: ProductWire) => {
      setIsBlocked(false);
      const checkout = await call(openCheckout, { body: { price_id: product.price_id } });
      return await show({ product, checkout });
    },
    onSuccess: (isOpen, { currency, unit_price: price }) => {
      if (!isOpen) return setIsBlocked(true);
      track({ name: 'begin_checkout', currency, value: inMajorUnits(price, currency) });
      close();
    },
    onError,
  });
  const pay = useWrite({
    mutationFn: ({ checkout: { price_id, reference } }: Order) =>
      call(testPay, { body: { price_id, reference } }),
    onSuccess: ({ currency, total, transaction_id: transactionId }) => {
      setTestOrder(null);
      onCompleted({ currency, value: inMajorUnits(total, currency), transactionId });
      void navigate({ to: '/dashboard' });
    },
    onError,
  });
  return { close, isBlocked, start, pay, testOrder, cancelTest: () => setTestOrder(null) };
}

/** Leads from the upgrade dialog through the checkout to Premium. */
export function UpgradeFlow({ reason, onClose, onDeclined, focusAfterClose }: UpgradeFlowProps) {
  const isOpen = reason !== null;
  const { billing } = usePublicConfig();
  usePreloadedPaddle(isOpen && billing.mode === 'paddle');
  const offered = useProduct(isOpen);
  const reread = () => void offered.refetch();
  const checkout = useCheckout({ onClose, onPriceGone: reread, onDeclined, focusAfterClose });
  const { close, start, pay, testOrder } = checkout;
  const trial = useTrialOffer({
    onStarted: (endsAt) => {
      close();
      toast.success(trialStarted(endsAt));
    },
    onRefused: (error) => toast.error(messageOf(error)),
  });
  return (
    <>
      <UpgradeDialog
        reason={reason}
        onClose={() => {
          close();
          onDeclined();
        }}
        product={offered.data ?? null}
        isLoading={offered.isFetching && offered.data === undefined}
        onRetry={reread}
        isStarting={start.isPending}
        onStart={start.mutate}
        problem={checkout.isBlocked ? BLOCKED : null}
        trial={trial}
        focusAfterClose={focusAfterClose}
      />
      <TestCheckoutDialog
        order={testOrder}
        isPaying={pay.isPending}
        onPay={() => testOrder && pay.mutate(testOrder)}
        onClose={() => {
          checkout.cancelTest();
          onDeclined();
        }}
        focusAfterClose={focusAfterClose}
      />
    </>
  );
}

import { type ReactNode, useMemo, useRef, useState } from 'react';
import { pendingPurchase } from '../features/billing/pending-purchase.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { UpgradeContext, type UpgradeReason } from '../lib/account/plan.ts';
import { focusOrigin } from '../ui/dialog.tsx';
import { lazyDialog } from '../ui/lazy.tsx';

const UpgradeFlow = lazyDialog(
  async () => (await import('../features/billing/upgrade-flow.tsx')).UpgradeFlow,
  {
    isOpen: ({ reason }) => reason !== null,
    close: ({ onClose, onDeclined }) => {
      onClose();
      onDeclined();
    },
    // After a checkout that reloaded this page, Premium may still be on its way.
    isNeeded: () => pendingPurchase() !== null,
  },
);

/** Lets every page open the upgrade dialog if Premium is sold. */
export function UpgradeProvider({ children }: { children: ReactNode }) {
  const { billing } = usePublicConfig();
  const isSold = billing.mode === 'test' || billing.mode === 'paddle';
  const [reason, setReason] = useState<UpgradeReason | null>(null);
  const origin = useRef<HTMLElement>(null);
  const declined = useRef<() => void>(undefined);

  const value = useMemo(
    () => ({
      isSold,
      open: (why: UpgradeReason, onDeclined?: () => void) => {
        origin.current = focusOrigin();
        declined.current = onDeclined;
        setReason(why);
      },
    }),
    [isSold],
  );
  return (
    <UpgradeContext value={value}>
      {children}
      {isSold && (
        <UpgradeFlow
          reason={reason}
          onClose={() => setReason(null)}
          onDeclined={() => declined.current?.()}
          // If the button that opened the dialog is gone, focus returns to the element from which the user came there.
          focusAfterClose={() => (origin.current?.isConnected ? origin.current : null)}
        />
      )}
    </UpgradeContext>
  );
}

import { useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { pendingPurchase } from '../features/billing/pending-purchase.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { UpgradeContext } from '../lib/upgrade.ts';
import type { UpgradeReason } from '../lib/upgrade.ts';
import { focusOrigin } from '../ui/dialog.tsx';
import { laterDialog } from '../ui/later.tsx';

const UpgradeFlow = laterDialog(
  async () => (await import('../features/billing/upgrade-flow.tsx')).UpgradeFlow,
  { isOpen: ({ reason }) => reason !== null, close: ({ onClose }) => onClose() },
);

/** Lets every page open the offer of Premium, where Premium is sold. */
export function UpgradeProvider({ children }: { children: ReactNode }) {
  const { billing } = usePublicConfig();
  const isSold = billing.mode === 'test' || billing.mode === 'paddle';
  const [reason, setReason] = useState<UpgradeReason | null>(null);
  // Also after a checkout that ended by loading this page: Premium may still be on its way.
  const [isNeeded, setIsNeeded] = useState(() => pendingPurchase() !== null);
  const origin = useRef<HTMLElement>(null);

  const value = useMemo(
    () => ({
      isSold,
      open: (why: UpgradeReason) => {
        origin.current = focusOrigin();
        setIsNeeded(true);
        setReason(why);
      },
    }),
    [isSold],
  );
  return (
    <UpgradeContext value={value}>
      {children}
      {isSold && isNeeded && (
        <UpgradeFlow
          reason={reason}
          onClose={() => setReason(null)}
          // Opened from a dialog that is gone: then where that one left the focus.
          focusAfterClose={() => (origin.current?.isConnected ? origin.current : null)}
        />
      )}
    </UpgradeContext>
  );
}

import { createContext, useContext } from 'react';

/** The plan as the page shows it. What the plan allows is decided by the server alone. */
export interface Subscription {
  isSubscribed: boolean;
  /** When the server's answer expires; null until loaded. */
  expiresAt: Date | null;
  loading: boolean;
  refetch: () => Promise<void>;
}

export const SubscriptionContext = createContext<Subscription | null>(null);

/** Returns the account's plan. Throws outside protected routes. */
export function useSubscription(): Subscription {
  const subscription = useContext(SubscriptionContext);
  if (!subscription) throw new Error('useSubscription is for protected routes');
  return subscription;
}

/** Why the upgrade dialog opens: the user asked for it, or reached the limit of Free. */
export type UpgradeReason = 'request' | 'limit';

export interface Upgrade {
  /** Whether Premium can be bought on this deployment. */
  isSold: boolean;
  /** Opens the upgrade dialog, if Premium is sold. `onDeclined` is called if the user closes the dialog or the checkout. */
  open: (reason: UpgradeReason, onDeclined?: () => void) => void;
}

export const UpgradeContext = createContext<Upgrade | null>(null);

/** Returns how to open the upgrade dialog. Throws outside protected routes. */
export function useUpgrade(): Upgrade {
  const upgrade = useContext(UpgradeContext);
  if (!upgrade) throw new Error('useUpgrade is for protected routes');
  return upgrade;
}

import { createContext, useContext } from 'react';

/** What the page shows of the plan. The server alone decides what the plan allows. */
export interface Subscription {
  isSubscribed: boolean;
  /** Until when the answer holds; null until it is known. */
  expiresAt: Date | null;
  loading: boolean;
  refetch: () => Promise<void>;
}

export const SubscriptionContext = createContext<Subscription | null>(null);

/** Only below a protected route. */
export function useSubscription(): Subscription {
  const subscription = useContext(SubscriptionContext);
  if (!subscription) throw new Error('useSubscription is for protected routes');
  return subscription;
}

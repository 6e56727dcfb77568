import { useStanding } from './standing.ts';
import { useSubscription } from './subscription.ts';
import { useUpgrade } from './upgrade.ts';

/** The words of the button that leads to the offer; null where there is nothing to buy. */
export function useOffer(): string | null {
  const { isSubscribed, loading } = useSubscription();
  const { isSold } = useUpgrade();
  const standing = useStanding();
  if (!isSold || loading) return null;
  if (!isSubscribed) return 'Upgrade to Premium';
  // A trial, or what the operator gave for a while, can be bought on before it ends.
  const endsUnpaid = standing?.ends_at && (standing.source === 'trial' || standing.source === 'grant');
  return endsUnpaid ? 'Keep Premium' : null;
}

import { useEffect, useState } from 'react';
import type { StandingWire } from '../../../contract/account.ts';
import { useReadStanding, useRereadPlan } from '../../lib/standing.ts';
import { toast } from '../../ui/toast.tsx';
import { pendingPurchase, PURCHASE_PATIENCE_MS, rememberPurchase } from './pending-purchase.ts';

const POLL_MS = 2000;

/**
 * From a completed checkout until Premium shows: the server hears of it from the payment provider, usually within
 * seconds. Returns what to call when a checkout was completed.
 */
export function useAwaitedPremium(): () => void {
  const [completedAt, setCompletedAt] = useState(pendingPurchase);
  const readStanding = useReadStanding();
  const reread = useRereadPlan();

  useEffect(() => {
    if (completedAt === null) return undefined;
    const stop = new AbortController();
    const wait = async () => {
      const hasCome = await subscriptionShows(readStanding, completedAt + PURCHASE_PATIENCE_MS, stop.signal);
      if (stop.signal.aborted) return;
      rememberPurchase(null);
      setCompletedAt(null);
      reread();
      if (hasCome) toast.success('Premium is active. Thank you.');
      else toast.info('Your payment is being confirmed. Premium starts by itself once it is.');
    };
    void wait();
    return () => stop.abort();
  }, [completedAt, readStanding, reread]);

  return () => {
    const now = Date.now();
    rememberPurchase(now);
    setCompletedAt(now);
  };
}

/** False when it has not come by `deadline` (ms UTC), or when nobody waits any more. */
async function subscriptionShows(
  readStanding: () => Promise<StandingWire>,
  deadline: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    // A look that fails says nothing; the next one may succeed.
    const standing = await readStanding().catch(() => null);
    if (standing?.source === 'subscription') return true;
    if (Date.now() + POLL_MS > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

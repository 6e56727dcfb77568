import { useEffect, useState } from 'react';
import type { StandingWire } from '../../../contract/account.ts';
import { useReadStanding, useRereadPlan } from '../../lib/account/standing.ts';
import { toast } from '../../ui/toast.tsx';
import { pendingPurchase, PURCHASE_TIMEOUT_MS, rememberPurchase } from './pending-purchase.ts';

const POLL_MS = 2000;

/**
 * Waits for Premium after a completed checkout: the payment provider notifies the server, usually within seconds. Returns the
 * function to call when a checkout is completed.
 */
export function useAwaitedPremium(): () => void {
  const [completedAt, setCompletedAt] = useState(pendingPurchase);
  const readStanding = useReadStanding();
  const reread = useRereadPlan();

  useEffect(() => {
    if (completedAt === null) return undefined;
    const stop = new AbortController();
    const wait = async () => {
      const hasPremium = await subscriptionShows(
        readStanding,
        completedAt + PURCHASE_TIMEOUT_MS,
        stop.signal,
      );
      if (stop.signal.aborted) return;
      rememberPurchase(null);
      setCompletedAt(null);
      reread();
      if (hasPremium) toast.success('Premium is active. Thank you.');
      else toast.info('We are confirming your payment. Premium starts automatically after that.');
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

/** Resolves to false if Premium has not come by `deadline` (ms UTC) or the wait was cancelled. */
async function subscriptionShows(
  readStanding: () => Promise<StandingWire>,
  deadline: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    // Ignore a failed read; the next one may succeed.
    const standing = await readStanding().catch(() => null);
    if (standing?.source === 'subscription') return true;
    if (Date.now() + POLL_MS > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

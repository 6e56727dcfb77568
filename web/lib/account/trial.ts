import { startTrial as startCall } from '../../../contract/calls/account.ts';
import { callForResponse } from '../api-client.ts';
import { longDate } from '../format.ts';
import { usePublicConfig } from '../public-config.ts';
import { useWrite } from '../use-write.ts';
import { useReadStanding, useRereadPlan, useStanding } from './standing.ts';

/** Starts the account's trial of Premium. Throws ApiError if it has Premium or its address has had the trial. */
export async function startTrial(): Promise<void> {
  await callForResponse(startCall);
}

export interface TrialOffer {
  /** Length of the trial in days. */
  days: number;
  start: () => void;
  isStarting: boolean;
}

/** Returns the message for a started trial that ends at `endsAt` (ISO 8601). */
export function trialStarted(endsAt: string | null): string {
  const until = endsAt === null ? '' : ` It ends on ${longDate(endsAt)}.`;
  return `Your Premium trial has started.${until}`;
}

/**
 * Returns the offer of the trial; null if the account cannot start one. Calls `onStarted` after a start, or `onRefused` if
 * the call fails.
 */
export function useTrialOffer(then: {
  /** Called when the trial has started. `endsAt` is its end, ISO 8601. */
  onStarted: (endsAt: string | null) => void;
  onRefused: (error: unknown) => void;
}): TrialOffer | null {
  const { limits } = usePublicConfig();
  const standing = useStanding();
  const readStanding = useReadStanding();
  const rereadPlan = useRereadPlan();
  const start = useWrite({
    mutationFn: async () => {
      await startTrial();
      return (await readStanding()).ends_at;
    },
    onSuccess: then.onStarted,
    onError: then.onRefused,
    onSettled: () => rereadPlan(),
  });
  if (standing?.trial_available !== true && !start.isPending) return null;
  return { days: limits.trial_days, start: () => start.mutate(), isStarting: start.isPending };
}

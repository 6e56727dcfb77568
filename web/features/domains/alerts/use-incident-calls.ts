import type { AlertIncidentWire } from '../../../../contract/alerting.ts';
import { acknowledgeIncident, snoozeIncident } from '../../../lib/alerts/alert-calls.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';

/** What can be said to an incident. Each answer leads to a new reading: what is planned depends on it. */
export function useIncidentCalls({ id }: AlertIncidentWire) {
  const reread = useRereadAlerts();
  const acknowledge = useWrite({
    mutationFn: (acknowledged: boolean) => acknowledgeIncident(id, acknowledged),
    onSuccess: reread,
    onError: (error) => toast.error(`It could not be acknowledged: ${messageOf(error)}`),
  });
  const snooze = useWrite({
    /** ms UTC; null ends it. */
    mutationFn: (until: number | null) => snoozeIncident(id, until),
    onSuccess: reread,
    onError: (error) => toast.error(`It could not be snoozed: ${messageOf(error)}`),
  });
  return {
    acknowledge: acknowledge.mutate,
    snooze: snooze.mutate,
    isAcknowledging: acknowledge.isPending,
    isSnoozing: snooze.isPending,
  };
}

import type { DomainAlertSettingsWire } from '../../../../contract/alerting.ts';
import { changeDomainAlerts } from '../../../lib/alerts/alert-calls.ts';
import { useAlertCache } from '../../../lib/alerts/alert-queries.ts';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { useUpgrade } from '../../../lib/upgrade.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';

/** Stores all that a domain does otherwise than its account; what needs Premium leads to the offer. */
export function useOwnSettings(domainId: string) {
  const { putDomain } = useAlertCache();
  const { isSold, open } = useUpgrade();
  const { mutate, isPending } = useWrite({
    mutationFn: (own: DomainAlertSettingsWire) => changeDomainAlerts(domainId, own),
    onSuccess: (alerts) => {
      putDomain(domainId, alerts);
      toast.success('Alerts for this domain updated.');
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 402 && isSold) open('wish');
      else toast.error(`The alerts could not be changed: ${messageOf(error)}`);
    },
  });
  return {
    store: (own: DomainAlertSettingsWire, onStored: () => void) => mutate(own, { onSuccess: onStored }),
    isStoring: isPending,
  };
}

import { useMutation } from '@tanstack/react-query';
import type { AccountAlertsWire, AlertSettingsWire } from '../../../../contract/alerting.ts';
import { changeAccountAlerts } from '../../../lib/alerts/alert-calls.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { toast } from '../../../ui/toast.tsx';

/** Saves a part of what the account is told of and when; the rest stays as it is. `confirmation` is said then. */
export function useSaveAlerts(alerts: AccountAlertsWire, confirmation: string) {
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  return useMutation({
    mutationFn: (part: Partial<AlertSettingsWire>) =>
      changeAccountAlerts({ settings: { ...alerts.settings, ...part } }),
    onSuccess: (changed) => {
      cache.putAccount(changed);
      reread();
      toast.success(confirmation);
    },
    onError: (error) => toast.error(`Nothing was changed: ${messageOf(error)}`),
  });
}

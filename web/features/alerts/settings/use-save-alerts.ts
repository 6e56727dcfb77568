import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { changeAccountAlerts } from '../../../lib/alerts/alert-calls.ts';
import type { AccountAlertsChange } from '../../../lib/alerts/alert-calls.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';

/**
 * Saves a part of what the account is told of and when; the rest stays as it is. All saves of the page go one after the other:
 * the last choice is what is kept, and what is shown. `confirmation` is said then.
 */
export function useSaveAlerts(confirmation: (saved: AccountAlertsWire) => string) {
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  return useWrite({
    scope: { id: 'account-alerts' },
    mutationFn: (change: AccountAlertsChange) => changeAccountAlerts(change),
    onSuccess: (saved) => {
      cache.putAccount(saved);
      reread();
      toast.success(confirmation(saved));
    },
    onError: (error) => toast.error(`Nothing was changed: ${messageOf(error)}`),
  });
}

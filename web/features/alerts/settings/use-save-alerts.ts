import type { AccountAlertsWire, ChangeAccountAlerts } from '../../../../contract/alerting.ts';
import { changeAccountAlerts } from '../../../../contract/calls/alert.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { useState } from 'react';

/**
 * Saves a part of the account's alert settings. The Alerts page saves every change at once, except in dialogs; a failed change is undone,
 * and a toast says why. Saves run one after the other, so that the last choice is the one stored and shown.
 */
export function useSaveAlerts(confirmation: (saved: AccountAlertsWire) => string) {
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  return useWrite({
    scope: { id: 'account-alerts' },
    mutationFn: (change: ChangeAccountAlerts) => call(changeAccountAlerts, { body: change }),
    onSuccess: (saved) => {
      cache.putAccount(saved);
      void reread();
      // Each replaces the last, so that quick changes do not pile up.
      toast.success(confirmation(saved), { id: 'alert-settings' });
    },
    onError: (error) => toast.failed('Could not save the change', error),
  });
}

/**
 * Returns the chosen value from the click until it is saved, otherwise the stored one. It is separate from the mutation, whose
 * pending state comes too late: the tick would jump back. After several clicks the last choice stays until its own save
 * settles, because a mutation only calls back for its last `mutate`.
 */
export function useOptimisticChoice<Value>(
  stored: Value,
  save: (value: Value, settled: { onSettled: () => void }) => void,
): [value: Value, choose: (value: Value) => void] {
  const [chosen, setChosen] = useState<{ value: Value } | null>(null);
  const choose = (value: Value) => {
    setChosen({ value });
    save(value, { onSettled: () => setChosen(null) });
  };
  return [chosen ? chosen.value : stored, choose];
}

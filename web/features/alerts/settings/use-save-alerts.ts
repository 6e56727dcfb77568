import type { AccountAlertsWire, AlertSettingsWire } from '../../../../contract/alerting.ts';
import { accountAlerts, changeAccountAlerts } from '../../../../contract/calls/alert.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { pickFields, saveOnTop } from '../../../lib/merge-changes.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { useState } from 'react';

/** A value that the user chose, and the value that it replaces. */
interface Choice<Value> {
  before: Value;
  after: Value;
}

/**
 * Saves a part of the account's alert settings at once. Several saves run in the order of the choices, and each keeps what
 * another tab has saved. A failed change is undone, and a toast says why.
 */
export function useSaveAlerts(confirmation: (saved: AccountAlertsWire) => string) {
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  return useWrite({
    scope: { id: 'account-alerts' },
    mutationFn: (change: Choice<Partial<AlertSettingsWire>> | { digest: boolean }) =>
      'digest' in change
        ? call(changeAccountAlerts, { body: change })
        : saveOnTop(
            { lock: 'account-alerts', ...change },
            {
              read: () => call(accountAlerts),
              valuesOf: ({ settings }) => settings,
              write: (merged) =>
                call(changeAccountAlerts, { body: { settings: pickFields(change.after, merged) } }),
              show: cache.putAccount,
            },
          ),
    onSuccess: (saved) => {
      cache.putAccount(saved);
      void reread();
      // All confirmations share one toast id, so that quick changes do not pile up.
      toast.success(confirmation(saved), { id: 'alert-settings' });
    },
    onError: (error) => toast.failed('Could not save the change', error),
  });
}

/**
 * Returns the chosen value from the click until it is saved, then the stored one. The mutation's own pending state comes too
 * late: the tick would jump back. After several clicks the last choice stays until its own save settles, because a mutation
 * calls back only for its last `mutate`.
 */
export function useOptimisticChoice<Value>(
  stored: Value,
  save: (choice: Choice<Value>, settled: { onSettled: () => void }) => void,
): [value: Value, choose: (value: Value) => void] {
  const [chosen, setChosen] = useState<{ value: Value } | null>(null);
  const shown = chosen ? chosen.value : stored;
  const choose = (value: Value) => {
    setChosen({ value });
    save({ before: shown, after: value }, { onSettled: () => setChosen(null) });
  };
  return [shown, choose];
}

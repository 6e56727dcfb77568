import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { useSubscription, useUpgrade } from '../../../lib/account/plan.ts';
import { CheckboxLine } from '../../../ui/form/checkbox-line.tsx';
import { Time } from '../../../ui/time.tsx';
import { useOptimisticChoice, useSaveAlerts } from './use-save-alerts.ts';

/** Switches the weekly digest, which is sent on Monday morning. */
export function Digest({ alerts: { digest } }: { alerts: AccountAlertsWire }) {
  const { isSubscribed } = useSubscription();
  const { isSold, open } = useUpgrade();
  const save = useSaveAlerts((saved) =>
    saved.digest.enabled ? 'Weekly digest switched on.' : 'Weekly digest switched off.',
  );
  const [isOn, switchIt] = useOptimisticChoice(digest.enabled && isSubscribed, ({ after }, settled) =>
    save.mutate({ digest: after }, settled),
  );
  return (
    <CheckboxLine
      label="Send it every Monday morning"
      checked={isOn}
      isLocked={!isSubscribed}
      note={noteOf(isSubscribed, isOn ? digest.next_at : null)}
      onChange={(enabled) => {
        if (isSubscribed) switchIt(enabled);
        else if (isSold) open('request');
      }}
    />
  );
}

function noteOf(isSubscribed: boolean, nextAt: string | null) {
  if (!isSubscribed) return 'Upgrade to premium to get the weekly digest.';
  if (nextAt === null) return 'Sent to your own address.';
  return (
    <>
      Sent to your own address, next on <Time iso={nextAt} withTime />.
    </>
  );
}

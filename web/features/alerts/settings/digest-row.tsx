import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { useSubscription, useUpgrade } from '../../../lib/account/plan.ts';
import { CheckboxLine } from '../../../ui/form/checkbox-line.tsx';
import { Row } from '../../../ui/form/row.tsx';
import { Time } from '../../../ui/time.tsx';
import { useOptimisticChoice, useSaveAlerts } from './use-save-alerts.ts';

/** Switches the weekly digest, which is sent on Monday morning. */
export function DigestRow({ alerts: { digest } }: { alerts: AccountAlertsWire }) {
  const { isSubscribed } = useSubscription();
  const { isSold, open } = useUpgrade();
  const save = useSaveAlerts((saved) =>
    saved.digest.enabled ? 'Weekly digest switched on.' : 'Weekly digest switched off.',
  );
  const [isOn, switchIt] = useOptimisticChoice(digest.enabled && isSubscribed, ({ after }, settled) =>
    save.mutate({ digest: after }, settled),
  );
  return (
    <Row
      title="Weekly digest"
      description="What expires soon, what was renewed and what failed, in one email."
    >
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
    </Row>
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

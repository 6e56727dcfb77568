import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { useSubscription } from '../../../lib/subscription.ts';
import { useUpgrade } from '../../../lib/upgrade.ts';
import { CheckboxLine } from '../../../ui/checkbox-line.tsx';
import { Row } from '../../../ui/row.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAtOnce } from './use-at-once.ts';
import { useSaveAlerts } from './use-save-alerts.ts';

/** The mail of Monday morning. */
export function DigestRow({ alerts: { digest } }: { alerts: AccountAlertsWire }) {
  const { isSubscribed } = useSubscription();
  const { isSold, open } = useUpgrade();
  const save = useSaveAlerts((saved) => (saved.digest.enabled ? 'The digest is on.' : 'The digest is off.'));
  const [isOn, switchIt] = useAtOnce(digest.enabled && isSubscribed, (enabled, settled) =>
    save.mutate({ digest: enabled }, settled),
  );
  return (
    <Row title="Weekly digest" description="What ends soon, what was renewed and what failed, in one mail.">
      <CheckboxLine
        label="Send it on Monday morning"
        checked={isOn}
        isLocked={!isSubscribed}
        note={noteOf(isSubscribed, isOn ? digest.next_at : null)}
        onChange={(enabled) => {
          if (isSubscribed) switchIt(enabled);
          else if (isSold) open('wish');
        }}
      />
    </Row>
  );
}

function noteOf(isSubscribed: boolean, nextAt: string | null) {
  if (!isSubscribed) return 'Upgrade to premium to get the weekly digest.';
  if (nextAt === null) return 'To your own address.';
  return (
    <>
      To your own address, next on <Time iso={nextAt} withTime />.
    </>
  );
}

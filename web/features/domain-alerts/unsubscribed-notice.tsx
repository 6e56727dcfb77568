import { subscribeDomain } from '../../../contract/calls/alert.ts';
import { OWN_MAIL } from '../../../contract/channel.ts';
import { useAlertCache, useChannels } from '../../lib/alerts/alert-queries.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { visibleText } from '../../ui/visible-text.ts';

interface UnsubscribedNoticeProps {
  domainId: string;
  /** Keys of the mail channels whose recipients unsubscribed. */
  unsubscribed: readonly string[];
}

/** Lists who unsubscribed from this domain. Only the account's own address can resubscribe here. */
export function UnsubscribedNotice({ domainId, unsubscribed }: UnsubscribedNoticeProps) {
  if (unsubscribed.length === 0) return null;
  const others = unsubscribed.filter((key) => key !== OWN_MAIL);
  return (
    <div className="text-label">
      {unsubscribed.includes(OWN_MAIL) && <OwnMailEnded domainId={domainId} />}
      {others.length > 0 && <OthersEnded keys={others} />}
    </div>
  );
}

function OwnMailEnded({ domainId }: { domainId: string }) {
  const { putDomain } = useAlertCache();
  const { mutate, isPending } = useWrite({
    mutationFn: () => call(subscribeDomain, { params: { id: domainId } }),
    onSuccess: (alerts) => putDomain(domainId, alerts),
    onError: (error) => toast.failed('Could not save the change', error),
  });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
      <p>You get no emails about this domain because you unsubscribed.</p>
      <Button variant="outline" size="small" busy={isPending} onClick={() => mutate()}>
        Resume emails
      </Button>
    </div>
  );
}

function OthersEnded({ keys }: { keys: readonly string[] }) {
  const { data: channels } = useChannels();
  const names = channels?.filter(({ key }) => keys.includes(key)).map(({ target }) => visibleText(target));
  return (
    <p className="[overflow-wrap:anywhere] text-fg-2">
      {names?.length ? names.join(', ') : 'A recipient you added'} unsubscribed from this domain.
    </p>
  );
}

import { domainAlertsSchema } from '../../../../contract/alerting.ts';
import { wrapped } from '../../../../contract/calls/call.ts';
import { OWN_MAIL } from '../../../../contract/channel.ts';
import { useAlertCache, useChannels } from '../../../lib/alerts/alert-queries.ts';
import { api, messageOf } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const answer = wrapped(domainAlertsSchema);

async function subscribeDomain(id: string) {
  const path = `/domain/${encodeURIComponent(id)}/alerts/subscribe`;
  return (await api(path, { method: 'POST', schema: answer })).data;
}

interface UnsubscribedNoticeProps {
  domainId: string;
  /** Keys of mail channels. */
  unsubscribed: readonly string[];
}

/** Whose link in a mail ended all mail about this domain. Only for oneself can that be taken back here. */
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
    mutationFn: () => subscribeDomain(domainId),
    onSuccess: (alerts) => putDomain(domainId, alerts),
    onError: (error) => toast.error(`It could not be changed: ${messageOf(error)}`),
  });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
      <p>You get no mail about this domain: you unsubscribed.</p>
      <Button variant="outline" size="small" busy={isPending} onClick={() => mutate()}>
        Get mail again
      </Button>
    </div>
  );
}

function OthersEnded({ keys }: { keys: readonly string[] }) {
  const { data: channels } = useChannels();
  const names = channels?.filter(({ key }) => keys.includes(key)).map(({ target }) => visibleText(target));
  return (
    <p className="[overflow-wrap:anywhere] text-fg-2">
      {names?.length ? names.join(', ') : 'Somebody you added'} unsubscribed from this domain.
    </p>
  );
}

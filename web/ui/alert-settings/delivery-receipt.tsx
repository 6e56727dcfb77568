import { replayDelivery } from '../../../contract/calls/alert.ts';
import type { DeliveryWire } from '../../../contract/channel.ts';
import { isSettled, useAlertCache, useDelivery, useRereadAlerts } from '../../lib/alerts/alert-queries.ts';
import { deliveryLine } from '../../lib/alerts/delivery-words.ts';
import { call } from '../../lib/api-client.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { Glyph, type GlyphName } from '../glyph.tsx';
import { Spinner } from '../loading.tsx';
import { Time } from '../time.tsx';
import { toast } from '../toast.tsx';
import { serverText, visibleText } from '../visible-text.ts';

const APPEARANCE: Record<
  'delivered' | 'failed' | 'held' | 'superseded',
  { glyph: GlyphName; colour: string }
> = {
  delivered: { glyph: 'active', colour: 'text-ok-mark' },
  failed: { glyph: 'critical', colour: 'text-critical-mark' },
  held: { glyph: 'paused', colour: 'text-fg-3' },
  superseded: { glyph: 'revoked', colour: 'text-fg-3' },
};

interface DeliveryStateProps {
  delivery: Pick<DeliveryWire, 'state' | 'next_attempt_at' | 'settled_at' | 'detail' | 'attempts'>;
  className?: string;
}

/** Shows the state of a delivery in one line. */
export function DeliveryState({ delivery, className }: DeliveryStateProps) {
  const now = useNow();
  const look = delivery.state === 'waiting' ? null : APPEARANCE[delivery.state];
  return (
    <span className={classNames('flex items-start gap-1.5 text-label text-fg-2', className)}>
      {look ? (
        <Glyph
          name={look.glyph}
          className={classNames('mt-0.5 size-[13px] [--glyph-cut:var(--surface)]', look.colour)}
        />
      ) : (
        <Spinner className="mt-0.5 size-[13px] flex-none text-fg-3" />
      )}
      <span>{deliveryLine(delivery, now)}</span>
    </span>
  );
}

/** Lists every attempt with the receiver's answer, oldest first. */
function Attempts({ attempts }: Pick<DeliveryWire, 'attempts'>) {
  if (attempts.length === 0) return null;
  return (
    <ol className="grid gap-0.5 text-meta text-fg-3">
      {attempts.map(({ attempt, started_at: startedAt, finished_at: finishedAt, detail, outcome }) => (
        <li key={attempt} className="num [overflow-wrap:anywhere]">
          {attempt}. <Time iso={startedAt} withTime />
          {': '}
          {detail ??
            (outcome === 'delivered'
              ? 'accepted'
              : finishedAt === null
                ? 'in progress or interrupted'
                : 'no answer')}
        </li>
      ))}
    </ol>
  );
}

interface DeliveryReceiptProps {
  /** The delivery as first known; it is updated live. */
  delivery: DeliveryWire;
  /** Whether to show the title of the message. */
  hasTitle?: boolean;
}

/** Shows one delivery, live, with every attempt, and a button to send a finished one again. */
export function DeliveryReceipt({ delivery: first, hasTitle = true }: DeliveryReceiptProps) {
  const delivery = useDelivery(first);
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  const replay = useWrite({
    mutationFn: () => call(replayDelivery, { params: { id: delivery.id } }),
    onSuccess: (again) => {
      cache.putDelivery(again);
      void reread();
    },
    onError: (error) => toast.failed('Could not send it again', error),
  });
  // The pressed button stays mounted, so that it keeps the focus.
  const isRunning = replay.isPending || replay.isSuccess;
  return (
    <div className="grid gap-1.5">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          {hasTitle && (
            <p className="text-body font-[520] [overflow-wrap:anywhere]">{serverText(delivery.title)}</p>
          )}
          <output className="block">
            <DeliveryState delivery={delivery} />
          </output>
        </div>
        {(isSettled(delivery) || isRunning) && (
          <Button
            variant="outline"
            size="small"
            busy={replay.isPending}
            inactive={!isSettled(delivery)}
            aria-label={`Send again to ${visibleText(delivery.channel_name)}: ${serverText(delivery.title)}`}
            onClick={() => replay.mutate()}
          >
            Send again
          </Button>
        )}
      </div>
      {delivery.state === 'failed' && delivery.detail !== null && delivery.attempts.length === 0 && (
        <p className="text-meta text-fg-3 [overflow-wrap:anywhere]">{delivery.detail}</p>
      )}
      <Attempts attempts={delivery.attempts} />
    </div>
  );
}

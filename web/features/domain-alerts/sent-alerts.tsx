import { useState } from 'react';
import type { SentAlertWire } from '../../../contract/alerting.ts';
import { type DeliveryWire, OWN_MAIL } from '../../../contract/channel.ts';
import { ChannelIcon } from '../../ui/alert-settings/channel-icon.tsx';
import { DeliveryReceipt, DeliveryState } from '../../ui/alert-settings/delivery-receipt.tsx';
import { Button } from '../../ui/button.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { Time } from '../../ui/time.tsx';
import { serverText, visibleText } from '../../ui/visible-text.ts';
import { Disclosure } from '../../domain/disclosure.tsx';

const FIRST = 3;

/** Lists the last alerts and their delivery on every channel. */
export function SentAlerts({ sent }: { sent: readonly SentAlertWire[] }) {
  const [isWhole, setIsWhole] = useState(false);
  if (sent.length === 0) return null;
  const shown = isWhole ? sent : sent.slice(0, FIRST);
  return (
    <div>
      <h4 className="mb-2 text-meta font-[560] text-fg-2">Past alerts</h4>
      <ol className="grid gap-3.5">
        {shown.map((alert) => (
          <li key={alert.id}>
            <SentAlert alert={alert} />
          </li>
        ))}
      </ol>
      {sent.length > shown.length && (
        <Button variant="ghost" size="small" className="mt-1 -ml-3" onClick={() => setIsWhole(true)}>
          +{sent.length - shown.length} more
        </Button>
      )}
    </div>
  );
}

/** Sorts deliveries: the account's own address first, the others by name. Every alert then has the same order. */
function inOrder(deliveries: readonly DeliveryWire[]): DeliveryWire[] {
  const rank = ({ channel_key: key }: DeliveryWire) => (key === OWN_MAIL ? 0 : 1);
  return deliveries.toSorted(
    (one, other) => rank(one) - rank(other) || one.channel_name.localeCompare(other.channel_name),
  );
}

function SentAlert({ alert }: { alert: SentAlertWire }) {
  const deliveries = inOrder(alert.deliveries);
  // The deliveries are loaded only when unfolded.
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p className="text-label font-[520] [overflow-wrap:anywhere]">{serverText(alert.title)}</p>
      <p className="num text-meta text-fg-3">
        <Time iso={alert.created_at} withTime />
      </p>
      {!isOpen && <DeliveryLines deliveries={deliveries} />}
      {deliveries.length === 0 ? (
        <p className="text-meta text-fg-2">Not sent: no channel could receive it.</p>
      ) : (
        <Disclosure summary="Delivery details" onToggle={setIsOpen} className="-mb-1">
          {isOpen && (
            <ul className="mt-1 grid gap-3 pb-1">
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <ChannelName delivery={delivery} />
                  <DeliveryReceipt delivery={delivery} hasTitle={false} />
                </li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </>
  );
}

/** Summarises successful deliveries in one line; every other delivery has its own line with the reason. */
function DeliveryLines({ deliveries }: { deliveries: readonly DeliveryWire[] }) {
  const arrived = deliveries.filter(({ state }) => state === 'delivered');
  return (
    <ul className="mt-1 grid gap-0.5 text-meta">
      {arrived.length > 0 && (
        <li className="flex items-start gap-1.5 text-fg-2">
          <Glyph name="active" className="mt-[3px] size-3 text-ok-mark" />
          <span className="[overflow-wrap:anywhere]">
            Delivered: {arrived.map(({ channel_name: name }) => visibleText(name)).join(', ')}
          </span>
        </li>
      )}
      {deliveries
        .filter(({ state }) => state !== 'delivered')
        .map((delivery) => (
          <li key={delivery.id}>
            <DeliveryLine delivery={delivery} />
          </li>
        ))}
    </ul>
  );
}

function DeliveryLine({ delivery }: { delivery: DeliveryWire }) {
  return (
    <>
      <span className="flex flex-wrap items-start justify-between gap-x-3">
        <ChannelName delivery={delivery} />
        <DeliveryState delivery={delivery} className="text-meta!" />
      </span>
      {delivery.state === 'failed' && delivery.detail !== null && (
        <span className="block text-meta [overflow-wrap:anywhere] text-fg-3">
          {visibleText(delivery.detail)}
        </span>
      )}
    </>
  );
}

function ChannelName({ delivery }: { delivery: DeliveryWire }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-meta">
      <ChannelIcon kind={delivery.channel_kind} className="size-3.5 text-fg-3" />
      <bdi className="min-w-0 [overflow-wrap:anywhere]">{visibleText(delivery.channel_name)}</bdi>
    </span>
  );
}

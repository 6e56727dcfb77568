import { useLocation, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { removeChannel } from '../../../../contract/calls/alert.ts';
import type { ChannelWire } from '../../../../contract/channel.ts';
import { useChannels, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog, useRemoval } from '../../../ui/confirm-dialog.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { AddChannelDialog } from './add-channel-dialog.tsx';
import { ChannelItem } from './channel-item.tsx';

/** Lists the account's channels, its own address first. */
export function Channels() {
  const read = useChannels();
  const { data } = read;
  const asked = useLocation({ select: ({ state }) => state.addsChannel });
  const [wanted] = useState(asked);
  const [adding, setAdding] = useState(wanted !== undefined);
  const navigate = useNavigate();
  useEffect(() => {
    // Clears the request from the history entry, so that a reload does not open the form again.
    if (wanted !== undefined) void navigate({ to: '/alerts', replace: true, state: {} });
  }, [wanted, navigate]);
  const add = useRef<HTMLButtonElement>(null);
  const removal = useRemoval({
    remove: ({ key }: ChannelWire) => call(removeChannel, { params: { key } }),
    reread: useRereadAlerts(),
    done: () => 'Channel removed.',
    failed: 'Could not remove the channel',
    focusAfter: () => add.current,
  });

  if (!data)
    return <SectionError title="Could not load your channels" note="Alerts still go out." read={read} />;
  return (
    <div className="grid gap-4">
      <ul>
        {data.map((channel) => (
          <ChannelItem key={channel.key} channel={channel} onRemove={() => removal.ask(channel)} />
        ))}
      </ul>
      <div>
        <Button ref={add} variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
          <Plus className="size-4" strokeWidth={1.6} aria-hidden="true" />
          Add channel
        </Button>
      </div>
      <AddChannelDialog
        open={adding}
        kind={wanted}
        onOpenChange={setAdding}
        focusAfterClose={() => add.current}
      />
      <ConfirmDialog
        {...removal.dialog}
        title="Remove this channel?"
        description={`We send no more alerts to “${removal.asked?.name ?? ''}” and drop its waiting messages. This action cannot be undone.`}
        confirmLabel="Remove"
      />
    </div>
  );
}

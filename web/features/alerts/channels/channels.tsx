import { useLocation, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useChannels } from '../../../lib/alerts/alert-queries.ts';
import { Button } from '../../../ui/button.tsx';
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
    // A reload must not open the form again.
    if (wanted !== undefined) void navigate({ to: '/alerts', replace: true, state: {} });
  }, [wanted, navigate]);
  const add = useRef<HTMLButtonElement>(null);

  if (!data)
    return <SectionError title="Could not load your channels" note="Alerts still go out." read={read} />;
  return (
    <div className="grid gap-4">
      <ul>
        {data.map((channel) => (
          <ChannelItem key={channel.key} channel={channel} focusAfterRemoval={() => add.current} />
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
    </div>
  );
}

import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useChannels, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { AddChannelDialog } from './add-channel-dialog.tsx';
import { ChannelItem } from './channel-item.tsx';

/** The ways in which the account is told: its own address, then what was added. */
export function Channels() {
  const { data, error, isFetching } = useChannels();
  const reread = useRereadAlerts();
  const [adding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);

  if (!data) return <NotLoaded what="Your channels" error={error} isRetrying={isFetching} onRetry={reread} />;
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
      <AddChannelDialog open={adding} onOpenChange={setAdding} focusAfterClose={() => add.current} />
    </div>
  );
}

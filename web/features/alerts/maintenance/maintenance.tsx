import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { MaintenanceWindowWire } from '../../../../contract/alerting.ts';
import { removeMaintenance } from '../../../../contract/calls/alert.ts';
import { ALERT_KEYS, useMaintenance, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { MaintenanceDialog } from './maintenance-dialog.tsx';

/** Lists current and future maintenance windows. */
export function Maintenance() {
  const read = useMaintenance();
  const { data } = read;
  const [adding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);

  if (!data)
    return (
      <SectionError title="Could not load planned maintenance" note="Alerts still go out." read={read} />
    );
  return (
    <div className="grid gap-4">
      {data.length > 0 && (
        <ul>
          {data.map((window) => (
            <WindowItem key={window.id} window={window} focusAfterRemoval={() => add.current} />
          ))}
        </ul>
      )}
      <div>
        <Button ref={add} variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
          Plan maintenance
        </Button>
      </div>
      <MaintenanceDialog open={adding} onOpenChange={setAdding} />
    </div>
  );
}

interface WindowItemProps {
  window: MaintenanceWindowWire;
  focusAfterRemoval: () => HTMLElement | null;
}

function WindowItem({ window, focusAfterRemoval }: WindowItemProps) {
  const [isAsking, setAsking] = useState(false);
  const isGone = useRef(false);
  const queryClient = useQueryClient();
  const reread = useRereadAlerts();
  const { id, domain, starts_at: from, ends_at: to, repeats, note, active } = window;
  const name = domain?.display_name ?? 'All domains';
  const removing = useWrite({
    mutationFn: () => call(removeMaintenance, { params: { id } }),
    onSuccess: () => {
      isGone.current = true;
      queryClient.setQueryData<MaintenanceWindowWire[]>(ALERT_KEYS.maintenance, (former) =>
        former?.filter((other) => other.id !== id),
      );
      reread();
      toast.success(active ? 'Maintenance ended.' : 'Window cancelled.');
    },
    onError: (error) => toast.error(`Could not save the change: ${messageOf(error)}`),
  });
  const verb = active ? 'End' : 'Cancel window';
  return (
    <li className="flex items-start justify-between gap-3 border-b border-line py-3 first:pt-0 last:border-0">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 [overflow-wrap:anywhere]">
          <span className={domain ? 'font-mono font-[560]' : 'font-medium'}>{name}</span>
          {active && (
            <Badge tone="plain" glyph="paused">
              Now
            </Badge>
          )}
        </p>
        <p className="num mt-0.5 text-meta text-fg-2">
          {repeats === 'weekly' && 'Every week, '}
          <Time iso={from} withTime /> – <Time iso={to} withTime />
        </p>
        {note !== '' && <p className="text-meta [overflow-wrap:anywhere] text-fg-3">{note}</p>}
      </div>
      <Button
        variant="outline"
        size="small"
        busy={removing.isPending}
        aria-label={`${verb}: maintenance of ${name}`}
        onClick={() => setAsking(true)}
      >
        {verb}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={active ? `End the maintenance of ${name}?` : `Cancel the maintenance window of ${name}?`}
        description={
          repeats === 'weekly' ? 'This also cancels the windows of the following weeks.' : undefined
        }
        confirmLabel={verb}
        processing={removing.isPending}
        onConfirm={() => removing.mutate()}
        focusAfterClose={() => (isGone.current ? focusAfterRemoval() : null)}
      />
    </li>
  );
}

import { useRef, useState } from 'react';
import type { MaintenanceWindowWire } from '../../../../contract/alerting.ts';
import { removeMaintenance } from '../../../../contract/calls/alert.ts';
import { useMaintenance, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog, useRemoval } from '../../../ui/confirm-dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { MaintenanceDialog } from './maintenance-dialog.tsx';

/** Lists current and future maintenance windows. */
export function Maintenance() {
  const read = useMaintenance();
  const { data } = read;
  const [adding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const removal = useRemoval({
    remove: ({ id }: MaintenanceWindowWire) => call(removeMaintenance, { params: { id } }),
    reread: useRereadAlerts(),
    done: ({ active }) => (active ? 'Maintenance ended.' : 'Window cancelled.'),
    failed: 'Could not save the change',
    focusAfter: () => add.current,
  });
  const { asked } = removal;
  const name = asked ? nameOf(asked) : '';

  if (!data)
    return (
      <SectionError title="Could not load planned maintenance" note="Alerts still go out." read={read} />
    );
  return (
    <div className="grid gap-4">
      {data.length > 0 && (
        <ul>
          {data.map((window) => (
            <WindowItem key={window.id} window={window} onEnd={() => removal.ask(window)} />
          ))}
        </ul>
      )}
      <div>
        <Button ref={add} variant="outline" className="max-md:w-full" onClick={() => setAdding(true)}>
          Plan maintenance
        </Button>
      </div>
      <MaintenanceDialog open={adding} onOpenChange={setAdding} />
      <ConfirmDialog
        {...removal.dialog}
        title={
          asked?.active ? `End the maintenance of ${name}?` : `Cancel the maintenance window of ${name}?`
        }
        description={
          asked?.repeats === 'weekly' ? 'This also cancels the windows of the following weeks.' : undefined
        }
        confirmLabel={asked ? verbOf(asked) : ''}
      />
    </div>
  );
}

interface WindowItemProps {
  window: MaintenanceWindowWire;
  onEnd: () => void;
}

const nameOf = ({ domain }: MaintenanceWindowWire) => domain?.display_name ?? 'All domains';
const verbOf = ({ active }: MaintenanceWindowWire) => (active ? 'End' : 'Cancel window');

function WindowItem({ window, onEnd }: WindowItemProps) {
  const { domain, starts_at: from, ends_at: to, repeats, note, active } = window;
  const [name, verb] = [nameOf(window), verbOf(window)];
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
      <Button variant="outline" size="small" aria-label={`${verb}: maintenance of ${name}`} onClick={onEnd}>
        {verb}
      </Button>
    </li>
  );
}

import { useId } from 'react';
import type { AlertIncidentWire } from '../../../contract/alerting.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx';
import { Time } from '../../ui/time.tsx';
import { useKeptFocus } from '../../ui/form/use-kept-focus.ts';
import { serverText } from '../../ui/visible-text.ts';
import { acknowledgeMeans, incidentState, SNOOZES, startWord, untilWords } from './incident-words.ts';
import { acknowledgeIncident, snoozeIncident } from '../../../contract/calls/alert.ts';
import { useRereadAlerts } from '../../lib/alerts/alert-queries.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import { inSentence } from '../../../contract/state/state-words.ts';

/** How many past incidents are listed. */
const MAX_PAST = 3;

interface IncidentListProps {
  incidents: readonly AlertIncidentWire[];
  now: number;
}

/** Lists current incidents with their actions, then past ones. */
export function IncidentList({ incidents, now }: IncidentListProps) {
  const current = incidents.filter(({ ended_at: endedAt }) => endedAt === null);
  const past = incidents.filter(({ ended_at: endedAt }) => endedAt !== null).slice(0, MAX_PAST);
  if (current.length + past.length === 0) return null;
  return (
    <ul aria-label="Incidents" className="grid gap-3.5">
      {current.map((incident) => (
        <CurrentIncident key={incident.id} incident={incident} now={now} />
      ))}
      {past.map((incident) => (
        <li key={incident.id} className="border-l-2 border-line-2 pl-3">
          <p className="text-label [overflow-wrap:anywhere]">{serverText(incident.title)}</p>
          {incident.ended_at !== null && (
            <p className="num mt-0.5 text-meta text-fg-3">
              Ended <Time iso={incident.ended_at} withTime />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function CurrentIncident({ incident, now }: { incident: AlertIncidentWire; now: number }) {
  const hintId = useId();
  const { acknowledge, snooze, isAcknowledging, isSnoozing } = useIncidentCalls(incident);
  const state = incidentState(incident, now);
  const snoozing = useKeptFocus<HTMLDivElement>();
  const mark = incident.severity === 'critical' ? 'border-critical-mark' : 'border-soon-mark';
  return (
    <li className={classNames('border-l-2 pl-3', state === 'open' ? mark : 'border-line-2')}>
      <p className="text-label font-[520] [overflow-wrap:anywhere]">{serverText(incident.title)}</p>
      <p className="num mt-0.5 text-meta text-fg-3">
        {startWord(incident.problem)} <Time iso={incident.started_at} withTime />
      </p>
      <output className="block text-meta text-fg-2">
        {state === 'snoozed' && incident.snoozed_until !== null && (
          <span className="mt-1 block">
            Snoozed: no alerts until <Time iso={incident.snoozed_until} withTime />.
          </span>
        )}
        {incident.acknowledged_at !== null && (
          <span className="mt-1 block">Acknowledged. {acknowledgeMeans(incident, now)}</span>
        )}
      </output>
      <div className="mt-2 flex flex-wrap gap-2">
        {incident.acknowledged_at === null ? (
          <Button
            variant="outline"
            size="small"
            busy={isAcknowledging}
            aria-describedby={hintId}
            onClick={() => acknowledge(true)}
          >
            Acknowledge
          </Button>
        ) : (
          <Button
            variant="ghost"
            size="small"
            className="-ml-3"
            busy={isAcknowledging}
            onClick={() => acknowledge(false)}
          >
            Resume alerts
          </Button>
        )}
        <div className="contents" {...snoozing}>
          {state === 'snoozed' ? (
            <Button variant="ghost" size="small" busy={isSnoozing} onClick={() => snooze(null)}>
              End snooze
            </Button>
          ) : (
            <SnoozeMenu now={now} isBusy={isSnoozing} onSnooze={snooze} />
          )}
        </div>
      </div>
      {incident.acknowledged_at === null && (
        <p id={hintId} className="mt-1.5 text-meta text-fg-3">
          Acknowledge: {inSentence(acknowledgeMeans(incident, now))}
        </p>
      )}
    </li>
  );
}

interface SnoozeMenuProps {
  now: number;
  isBusy: boolean;
  /** In ms UTC. */
  onSnooze: (until: number) => void;
}

function SnoozeMenu({ now, isBusy, onSnooze }: SnoozeMenuProps) {
  return (
    <Menu
      trigger={
        <Button variant="outline" size="small" busy={isBusy}>
          Snooze
        </Button>
      }
    >
      <MenuLabel>Snooze for</MenuLabel>
      {SNOOZES.map(({ label, ms }) => (
        <MenuItem key={label} onSelect={() => onSnooze(Date.now() + ms)}>
          <span className="flex-1">{label}</span>
          <span className="num text-small text-fg-3">until {untilWords(now + ms, now)}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}

/** Acknowledges and snoozes incidents. Afterwards reloads the alerts, because the planned ones depend on it. */
function useIncidentCalls({ id }: AlertIncidentWire) {
  const reread = useRereadAlerts();
  const acknowledge = useWrite({
    mutationFn: (acknowledged: boolean) =>
      call(acknowledgeIncident, { params: { id }, body: { acknowledged } }),
    onSuccess: reread,
    onError: (error) => toast.failed('Could not save the change', error),
  });
  const snooze = useWrite({
    /** In ms UTC; null ends the snooze. */
    mutationFn: (until: number | null) =>
      call(snoozeIncident, {
        params: { id },
        body: { until: until === null ? null : new Date(until).toISOString() },
      }),
    onSuccess: reread,
    onError: (error) => toast.failed('Could not save the change', error),
  });
  return {
    acknowledge: acknowledge.mutate,
    snooze: snooze.mutate,
    isAcknowledging: acknowledge.isPending,
    isSnoozing: snooze.isPending,
  };
}

import type { DomainAlertsWire } from '../../../../contract/alerting.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Time } from '../../../ui/time.tsx';
import { Disclosure } from '../panel/disclosure.tsx';
import { nextAlertLine, nothingPlannedLine, plannedWords } from './planned-words.ts';

interface PlannedAlertsProps {
  domain: DomainWire;
  alerts: DomainAlertsWire;
  now: number;
}

/** The next alert in a line, and behind it every one that would follow if nobody renewed. */
export function PlannedAlerts({ domain, alerts, now }: PlannedAlertsProps) {
  const [next] = alerts.planned;
  if (!next) return <p className="text-label text-fg-2">{nothingPlannedLine(domain, alerts)}</p>;
  return (
    <div>
      <p className="text-label font-[520] [overflow-wrap:anywhere]">{nextAlertLine(next, now)}</p>
      <Disclosure summary="If nobody renews" className="-mb-1">
        <ol className="mt-1 grid gap-1.5 pb-1 text-meta">
          {alerts.planned.map((planned) => (
            <li key={`${planned.step} ${planned.at}`} className="flex flex-wrap justify-between gap-x-3">
              <span className="[overflow-wrap:anywhere]">{plannedWords(planned)}</span>
              <Time iso={planned.at} withTime className="num text-fg-3" />
            </li>
          ))}
        </ol>
      </Disclosure>
    </div>
  );
}

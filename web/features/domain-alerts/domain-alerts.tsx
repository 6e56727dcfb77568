import { Link } from '@tanstack/react-router';
import type { DomainAlertsWire } from '../../../contract/alerting.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { useDomainAlerts, useLiveAlerts } from '../../lib/alerts/alert-queries.ts';
import { useNow } from '../../lib/use-now.ts';
import { Time } from '../../ui/time.tsx';
import { useKeptFocus } from '../../ui/form/use-kept-focus.ts';
import { SectionError } from '../../domain/section-error.tsx';
import { AlertsLoading } from './alerts-loading.tsx';
import { IncidentList } from './incident-list.tsx';
import { OwnSettings } from './own-settings.tsx';
import { SentAlerts } from './sent-alerts.tsx';
import { UnsubscribedNotice } from './unsubscribed-notice.tsx';
import { Disclosure } from '../../domain/disclosure.tsx';
import { DeadChannels } from './dead-channels.tsx';
import { nextAlertLine, nothingPlannedLine, plannedWords, quietLine } from './planned-words.ts';

/** Shows the domain's incidents, planned alerts, sent alerts and its own alert settings. */
export function DomainAlerts({ domain }: { domain: DomainWire }) {
  useLiveAlerts();
  const read = useDomainAlerts(domain.id);
  const { data, error } = read;
  if (data) return <Content domain={domain} alerts={data} />;
  if (!error) return <AlertsLoading />;
  return <SectionError title="Could not load the alerts" note="Alerts still go out." read={read} />;
}

function Content({ domain, alerts }: { domain: DomainWire; alerts: DomainAlertsWire }) {
  const now = useNow();
  const focus = useKeptFocus<HTMLDivElement>();
  return (
    <div className="grid gap-4" {...focus}>
      <UnsubscribedNotice domainId={domain.id} unsubscribed={alerts.unsubscribed} />
      {alerts.maintenance_until !== null && (
        <p className="text-label text-fg-2">
          In maintenance until <Time iso={alerts.maintenance_until} withTime className="font-[520] text-fg" />
          . We send no alerts about problems until then.
        </p>
      )}
      {alerts.quiet_until !== null && domain.paused === null && (
        <p className="text-label text-fg-2">{quietLine(alerts.quiet_until, alerts, now)}</p>
      )}
      <DeadChannels chosen={alerts.effective.channels} />
      <IncidentList incidents={alerts.incidents} now={now} />
      <PlannedAlerts domain={domain} alerts={alerts} now={now} />
      <SentAlerts sent={alerts.sent} />
      <OwnSettings domain={domain} alerts={alerts} />
      <p className="-mt-2 text-meta text-fg-3">
        Change the defaults in{' '}
        <Link to="/alerts" className="link">
          Alerts
        </Link>
        .
      </p>
    </div>
  );
}

interface PlannedAlertsProps {
  domain: DomainWire;
  alerts: DomainAlertsWire;
  now: number;
}

/** Shows the next alert in one line. Unfolds all alerts that would follow if the certificate were not renewed. */
function PlannedAlerts({ domain, alerts, now }: PlannedAlertsProps) {
  const [next] = alerts.planned;
  if (!next) {
    const line = nothingPlannedLine(domain, alerts);
    return line !== null && <p className="text-label text-fg-2">{line}</p>;
  }
  return (
    <div>
      <p className="text-label font-[520] [overflow-wrap:anywhere]">{nextAlertLine(next, now)}</p>
      <Disclosure summary="Upcoming alerts if nothing is renewed" className="-mb-1">
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

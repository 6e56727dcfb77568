import { Link } from '@tanstack/react-router';
import type { DomainAlertsWire } from '../../../../contract/alerting.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { useDomainAlerts, useLiveAlerts } from '../../../lib/alerts/alert-queries.ts';
import { useNow } from '../../../lib/use-now.ts';
import { Time } from '../../../ui/time.tsx';
import { useKeptFocus } from '../../../ui/use-kept-focus.ts';
import { SectionError } from '../panel/panel-section.tsx';
import { AlertsLoading } from './alerts-loading.tsx';
import { IncidentList } from './incident-list.tsx';
import { OwnSettings } from './own-settings.tsx';
import { PlannedAlerts } from './planned-alerts.tsx';
import { SentAlerts } from './sent-alerts.tsx';
import { UnsubscribedNotice } from './unsubscribed-notice.tsx';

/** What is wrong and who knows, what will be sent, what was, and what the domain does otherwise than its account. */
export function DomainAlerts({ domain }: { domain: DomainWire }) {
  useLiveAlerts();
  const { data, error, isFetching, refetch } = useDomainAlerts(domain.id);
  if (data) return <Content domain={domain} alerts={data} />;
  if (!error) return <AlertsLoading />;
  return (
    <SectionError
      title="Could not load the alerts"
      error={error}
      isRetrying={isFetching}
      onRetry={() => void refetch()}
    />
  );
}

function Content({ domain, alerts }: { domain: DomainWire; alerts: DomainAlertsWire }) {
  const now = useNow();
  const focus = useKeptFocus<HTMLDivElement>();
  return (
    <div className="grid gap-4" {...focus}>
      <UnsubscribedNotice domainId={domain.id} unsubscribed={alerts.unsubscribed} />
      {alerts.maintenance_until !== null && (
        <p className="text-label text-fg-2">
          Maintenance until <Time iso={alerts.maintenance_until} withTime className="font-[520] text-fg" />.
          Nobody is told of trouble before.
        </p>
      )}
      <IncidentList incidents={alerts.incidents} now={now} />
      <PlannedAlerts domain={domain} alerts={alerts} now={now} />
      <SentAlerts sent={alerts.sent} />
      <OwnSettings domain={domain} alerts={alerts} />
      <p className="-mt-2 text-meta text-fg-3">
        What holds for every domain is under{' '}
        <Link to="/alerts" className="link">
          Alerts
        </Link>
        .
      </p>
    </div>
  );
}

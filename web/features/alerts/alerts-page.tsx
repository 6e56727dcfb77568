import { useAccountAlerts, useLiveAlerts } from '../../lib/alerts/alert-queries.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { Row } from '../../ui/row.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Channels } from './channels/channels.tsx';
import { Maintenance } from './maintenance/maintenance.tsx';
import { NotLoaded } from './not-loaded.tsx';
import { CalendarRow } from './settings/calendar-row.tsx';
import { DigestRow } from './settings/digest-row.tsx';
import { EventsRow, QuietHoursRow, StepsRow, WhichChannelsRow } from './settings/settings-rows.tsx';

/** Where alerts go, when, and about what. */
export function AlertsPage() {
  usePageTitle('Alerts');
  useLiveAlerts();
  const { data: alerts, error, isFetching, refetch } = useAccountAlerts();
  return (
    <div className="wrap max-w-[776px] pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Alerts
      </h1>
      <Row title="Channels" description="Where alerts go.">
        <Channels />
      </Row>
      {alerts && (
        <>
          <WhichChannelsRow alerts={alerts} />
          <StepsRow alerts={alerts} />
          <QuietHoursRow alerts={alerts} />
          <EventsRow alerts={alerts} />
        </>
      )}
      {!alerts && (
        <Row title="Steps" description="When you hear that a certificate comes to its end.">
          {error ? (
            <NotLoaded
              what="What you are told of and when"
              error={error}
              isRetrying={isFetching}
              onRetry={() => void refetch()}
            />
          ) : (
            <div className="grid gap-2 py-1">
              <Skeleton className="h-13 w-full" />
              <Skeleton className="h-3 w-64 max-w-full" />
            </div>
          )}
        </Row>
      )}
      <Row title="Maintenance" description="Planned work. Nobody is told of trouble meanwhile.">
        <Maintenance />
      </Row>
      {alerts && (
        <>
          <DigestRow alerts={alerts} />
          <CalendarRow alerts={alerts} />
        </>
      )}
    </div>
  );
}

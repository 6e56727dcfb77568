import {
  useAccountAlerts,
  useChannels,
  useLiveAlerts,
  useMaintenance,
} from '../../lib/alerts/alert-queries.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { Row } from '../../ui/form/row.tsx';
import { SettingsPage } from '../../ui/form/settings-page.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { Channels } from './channels/channels.tsx';
import { Maintenance } from './maintenance/maintenance.tsx';
import { JoinedErrors, SectionError } from '../../domain/section-error.tsx';
import { CalendarRow } from './settings/calendar-row.tsx';
import { MailPreview } from './settings/mail-preview.tsx';
import { DigestRow } from './settings/digest-row.tsx';
import { EventsRow, QuietHoursRow, StepsRow, WhichChannelsRow } from './settings/settings-rows.tsx';

/** Shows channels, alert steps, events and maintenance windows. */
export function AlertsPage() {
  usePageTitle('Alerts');
  useLiveAlerts();
  const reads = [useChannels(), useAccountAlerts(), useMaintenance()];
  return (
    <SettingsPage
      title="Alerts"
      lead="Every change is saved at once."
      preview={<MailPreview />}
      previewNote="The next alert by email, if nothing is renewed."
    >
      {/* All parts appear together: if they loaded one by one, each would push the ones below down. A part that failed to load counts as loaded. */}
      {reads.every(({ isFetched }) => isFetched) ? (
        <JoinedErrors>
          <Parts />
        </JoinedErrors>
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

function Parts() {
  const read = useAccountAlerts();
  const { data: alerts } = read;
  return (
    <>
      <Row id="channels" title="Channels" description="Where alerts go.">
        <Channels />
      </Row>
      {alerts ? (
        <>
          <WhichChannelsRow alerts={alerts} />
          <StepsRow alerts={alerts} />
          <QuietHoursRow alerts={alerts} />
          <EventsRow alerts={alerts} />
        </>
      ) : (
        <Row title="Steps" description="When we warn you before expiry.">
          <SectionError title="Could not load your alert settings" note="Alerts still go out." read={read} />
        </Row>
      )}
      <Row title="Maintenance" description="Planned work. We send no alerts about problems during it.">
        <Maintenance />
      </Row>
      {alerts && (
        <>
          <DigestRow alerts={alerts} />
          <CalendarRow alerts={alerts} />
        </>
      )}
    </>
  );
}

/** Reserves the height of the window, so that nothing below it moves when the parts load. */
function Loading() {
  return (
    <div aria-busy="true" className="min-h-screen">
      <span className="sr-only">Loading alerts...</span>
      {['Channels', 'Steps', 'Quiet hours'].map((part) => (
        <div
          key={part}
          className="grid gap-4 border-b border-line py-7 last:border-0 md:grid-cols-[240px_1fr] md:gap-10"
        >
          <div className="grid content-start gap-2.5">
            <Skeleton className="h-4 w-28" />
            <Skeleton className="h-3 w-44 max-w-full" />
          </div>
          <div className="grid gap-3">
            <Skeleton className="h-13 w-full" />
            <Skeleton className="h-9 w-36 max-md:w-full" />
          </div>
        </div>
      ))}
    </div>
  );
}

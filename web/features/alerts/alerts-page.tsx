import type { ComponentType } from 'react';
import type { AccountAlertsWire } from '../../../contract/alerting.ts';
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
import { Calendar } from './settings/calendar.tsx';
import { MailPreview } from './settings/mail-preview.tsx';
import { Digest } from './settings/digest.tsx';
import { DefaultChannels, Events, QuietHours, Steps } from './settings/settings-parts.tsx';

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
  const { data: alerts } = useAccountAlerts();
  const { data: channels } = useChannels();
  return (
    <>
      <Row id="channels" title="Channels" description="Where alerts go.">
        <Channels />
      </Row>
      {/* With a single channel there is nothing to choose. */}
      {channels && (channels.length > 1 || alerts?.settings.channels) && (
        <SettingsRow
          title="Default channels"
          description="You can choose other channels for a domain in its panel."
          Settings={DefaultChannels}
        />
      )}
      <SettingsRow title="Steps" description="When we warn you before expiry." Settings={Steps} />
      <SettingsRow
        title="Quiet hours"
        description="We hold alerts during these hours, on every channel. You can let critical ones pass."
        Settings={QuietHours}
      />
      <SettingsRow title="Events" description="Turn off what you don’t need." Settings={Events} />
      <Row title="Maintenance" description="Planned work. We send no alerts about problems during it.">
        <Maintenance />
      </Row>
      <SettingsRow
        title="Weekly digest"
        description="What expires soon, what was renewed and what failed, in one email."
        Settings={Digest}
      />
      <SettingsRow
        title="Calendar"
        description="See expiry and renewal dates in your own calendar, through a secret link."
        Settings={Calendar}
      />
    </>
  );
}

interface SettingsRowProps {
  title: string;
  description: string;
  Settings: ComponentType<{ alerts: AccountAlertsWire }>;
}

/** Shows one part of the alert settings. If they could not be loaded, its title stays, so that people see what is missing. */
function SettingsRow({ title, description, Settings }: SettingsRowProps) {
  const read = useAccountAlerts();
  return (
    <Row title={title} description={description}>
      {read.data ? (
        <Settings alerts={read.data} />
      ) : (
        <SectionError title="Could not load your alert settings" note="Alerts still go out." read={read} />
      )}
    </Row>
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

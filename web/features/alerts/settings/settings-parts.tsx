import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { useChannels } from '../../../lib/alerts/alert-queries.ts';
import { reachesAnybody } from '../../../lib/alerts/reaches-anybody.ts';
import { ChannelChoice } from '../../../ui/alert-settings/channel-choice.tsx';
import { MutedEvents } from '../../../ui/alert-settings/muted-events.tsx';
import { haveSameTimes, QuietHoursFields } from '../../../ui/alert-settings/quiet-hours-fields.tsx';
import { StepsEditor } from '../../../ui/alert-settings/steps-editor.tsx';
import { StepsPreview } from '../../../ui/alert-settings/steps-preview.tsx';
import { useOptimisticChoice, useSaveAlerts } from './use-save-alerts.ts';

interface SettingsProps {
  alerts: AccountAlertsWire;
}

/** Edits when expiry alerts are sent, and shows the alerts that follow. */
export function Steps({ alerts }: SettingsProps) {
  const save = useSaveAlerts(() => 'Steps saved.');
  const [steps, choose] = useOptimisticChoice(alerts.settings.steps, ({ before, after }, settled) =>
    save.mutate({ before: { steps: before }, after: { steps: after } }, settled),
  );
  const { data: channels } = useChannels();
  const hasReach = channels === undefined || reachesAnybody(channels, alerts.settings.channels);
  return (
    <div className="grid gap-4">
      <StepsEditor value={steps} onChange={choose} />
      <StepsPreview steps={steps} reachesAnybody={hasReach} />
    </div>
  );
}

/** Edits the hours during which alerts are held. */
export function QuietHours({ alerts }: SettingsProps) {
  const save = useSaveAlerts(() => 'Quiet hours saved.');
  const [quietHours, choose] = useOptimisticChoice(
    alerts.settings.quiet_hours,
    ({ before, after }, settled) =>
      save.mutate({ before: { quiet_hours: before }, after: { quiet_hours: after } }, settled),
  );
  // The rejected value stays in the form with its error. It is not saved.
  const [refused, setRefused] = useState<typeof quietHours>(null);
  return (
    <div className="grid justify-items-start gap-4">
      <QuietHoursFields
        value={refused ?? quietHours}
        onChange={(next) => {
          setRefused(haveSameTimes(next) ? next : null);
          if (!haveSameTimes(next)) choose(next);
        }}
        timeZone={alerts.time_zone}
      />
      {(refused ?? quietHours) !== null && (
        <Link to="/profile" className="link text-label max-md:py-3">
          Change the time zone
        </Link>
      )}
    </div>
  );
}

/** Events that can be turned off. */
export function Events({ alerts }: SettingsProps) {
  const save = useSaveAlerts(() => 'Saved.');
  const [muted, mute] = useOptimisticChoice(alerts.settings.muted, ({ before, after }, settled) =>
    save.mutate({ before: { muted: before }, after: { muted: after } }, settled),
  );
  return <MutedEvents value={muted} onChange={mute} />;
}

/** Edits the default channels. */
export function DefaultChannels({ alerts }: SettingsProps) {
  const { data: channels = [] } = useChannels();
  const save = useSaveAlerts(() => 'Saved.');
  const [chosen, choose] = useOptimisticChoice(alerts.settings.channels, ({ before, after }, settled) =>
    save.mutate({ before: { channels: before }, after: { channels: after } }, settled),
  );
  return <ChannelChoice channels={channels} value={chosen} onChange={choose} />;
}

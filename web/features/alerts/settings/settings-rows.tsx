import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { useChannels } from '../../../lib/alerts/alert-queries.ts';
import { isAnybodyTold } from '../../../lib/alerts/is-told.ts';
import { ChannelChoice } from '../../../ui/alert-settings/channel-choice.tsx';
import { MutedEvents } from '../../../ui/alert-settings/muted-events.tsx';
import { QuietHoursFields } from '../../../ui/alert-settings/quiet-hours-fields.tsx';
import { StepsEditor } from '../../../ui/alert-settings/steps-editor.tsx';
import { StepsPreview } from '../../../ui/alert-settings/steps-preview.tsx';
import { Button } from '../../../ui/button.tsx';
import { Row } from '../../../ui/row.tsx';
import { useAtOnce } from './use-at-once.ts';
import { useSaveAlerts } from './use-save-alerts.ts';

/** What is edited of the stored value, until it is saved; follows that while nothing is. */
function useEdited<Value>(stored: Value): [value: Value, edit: (value: Value | undefined) => void, boolean] {
  const [edited, setEdited] = useState<{ value: Value }>();
  const value = edited ? edited.value : stored;
  const isChanged = JSON.stringify(value) !== JSON.stringify(stored);
  return [value, (next) => setEdited(next === undefined ? undefined : { value: next }), isChanged];
}

interface RowProps {
  alerts: AccountAlertsWire;
}

/** When people hear of a certificate that ends, with what that would come to. */
export function StepsRow({ alerts }: RowProps) {
  const [steps, edit, isChanged] = useEdited(alerts.settings.steps);
  const save = useSaveAlerts(() => 'The steps are saved.');
  const saveButton = useRef<HTMLButtonElement>(null);
  const { data: channels } = useChannels();
  const isTold = channels === undefined || isAnybodyTold(channels, alerts.settings.channels);
  return (
    <Row title="Steps" description="When you hear that a certificate comes to its end.">
      <div className="grid gap-4">
        <StepsEditor value={steps} onChange={(next) => edit(next)} />
        <StepsPreview steps={steps} isTold={isTold} />
        <div className="flex flex-wrap gap-2 max-md:flex-col">
          <Button
            ref={saveButton}
            inactive={!isChanged}
            busy={save.isPending}
            onClick={() => save.mutate({ settings: { steps } }, { onSuccess: () => edit(undefined) })}
          >
            Save steps
          </Button>
          {isChanged && (
            <Button
              variant="outline"
              inactive={save.isPending}
              onClick={() => {
                edit(undefined);
                saveButton.current?.focus();
              }}
            >
              Discard
            </Button>
          )}
        </div>
      </div>
    </Row>
  );
}

/** Hours in which nobody is written to. */
export function QuietHoursRow({ alerts }: RowProps) {
  const [quietHours, edit, isChanged] = useEdited(alerts.settings.quiet_hours);
  const save = useSaveAlerts(() => 'The quiet hours are saved.');
  const isNone = quietHours !== null && quietHours.from_minute === quietHours.to_minute;
  return (
    <Row title="Quiet hours" description="Hours in which nothing is sent, on every channel.">
      <div className="grid gap-4">
        <QuietHoursFields value={quietHours} onChange={(next) => edit(next)} timeZone={alerts.time_zone} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:flex-col max-md:items-stretch">
          <Button
            variant="outline"
            inactive={!isChanged || isNone}
            busy={save.isPending}
            onClick={() =>
              save.mutate({ settings: { quiet_hours: quietHours } }, { onSuccess: () => edit(undefined) })
            }
          >
            Save quiet hours
          </Button>
          <Link to="/profile" className="link text-label max-md:py-3">
            Change the time zone
          </Link>
        </div>
      </div>
    </Row>
  );
}

/** What people can do without; saved with each press. */
export function EventsRow({ alerts }: RowProps) {
  const save = useSaveAlerts(() => 'Saved.');
  const [muted, mute] = useAtOnce(alerts.settings.muted, (value, settled) =>
    save.mutate({ settings: { muted: value } }, settled),
  );
  return (
    <Row title="What you hear of" description="Some of it you can do without.">
      <MutedEvents value={muted} onChange={mute} />
    </Row>
  );
}

/** Which of several channels get alerts; with one alone there is nothing to choose. */
export function WhichChannelsRow({ alerts }: RowProps) {
  const { data: channels } = useChannels();
  const save = useSaveAlerts(() => 'Saved.');
  const [chosen, choose] = useAtOnce(alerts.settings.channels, (value, settled) =>
    save.mutate({ settings: { channels: value } }, settled),
  );
  if (!channels || (channels.length < 2 && chosen === null)) return null;
  return (
    <Row title="Which channels" description="Every domain can have its own choice in its panel.">
      <ChannelChoice channels={channels} value={chosen} onChange={choose} />
    </Row>
  );
}

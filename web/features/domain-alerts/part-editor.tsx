import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { AlertSettingsWire, DomainAlertsWire } from '../../../contract/alerting.ts';
import type { ChannelWire } from '../../../contract/channel.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { useCurrentUser } from '../../lib/account/current-user.ts';
import { useSubscription, useUpgrade } from '../../lib/account/plan.ts';
import { ChannelChoice } from '../../ui/alert-settings/channel-choice.tsx';
import { MutedEvents } from '../../ui/alert-settings/muted-events.tsx';
import { haveSameTimes, QuietHoursFields } from '../../ui/alert-settings/quiet-hours-fields.tsx';
import { StepsEditor } from '../../ui/alert-settings/steps-editor.tsx';
import { StepsPreview } from '../../ui/alert-settings/steps-preview.tsx';
import { Button } from '../../ui/button.tsx';
import { type Part, shownSettings } from './settings-words.ts';

interface PartEditorProps {
  part: Part;
  domain: DomainWire;
  alerts: DomainAlertsWire;
  channels: readonly ChannelWire[];
  isStoring: boolean;
  onSave: (
    change: { before: Partial<AlertSettingsWire>; after: Partial<AlertSettingsWire> },
    settled: { onSettled: () => void },
  ) => void;
  /** Resets this part to the account's settings; null if it already follows them. */
  onReset: (() => void) | null;
  onDone: () => void;
}

/** Edits one part of a domain's settings with a preview. Every choice is saved at once, as on the Alerts page. */
export function PartEditor({
  part,
  domain,
  alerts,
  channels,
  isStoring,
  onSave,
  onReset,
  onDone,
}: PartEditorProps) {
  const stored = shownSettings(alerts);
  const [chosen, setChosen] = useState<AlertSettingsWire | null>(null);
  const [sent, setSent] = useState<AlertSettingsWire | null>(null);
  const draft = chosen ?? stored;
  const { timeZone } = useCurrentUser();
  const { isSubscribed } = useSubscription();
  const isLocked = part === 'steps' && !isSubscribed;
  const change = (value: Partial<AlertSettingsWire>) => {
    const next = { ...draft, ...value };
    setChosen(next);
    if (!isWhole(part, next)) return;
    const saved = JSON.stringify(next[part]);
    const unlessChanged = (last: AlertSettingsWire | null) =>
      JSON.stringify(last?.[part]) === saved ? null : last;
    // Undo the failed change, but keep what the user has chosen since.
    const onSettled = () => {
      setChosen(unlessChanged);
      setSent(unlessChanged);
    };
    setSent(next);
    onSave({ before: { [part]: (sent ?? stored)[part] }, after: { [part]: next[part] } }, { onSettled });
  };
  return (
    <div className="mt-2 grid gap-3">
      {isLocked && <StepsLocked />}
      {part === 'steps' && !isLocked && (
        <StepsEditor
          value={draft.steps}
          onChange={(steps) => change({ steps })}
          lifetimeDays={lifetimeDaysOf(domain)}
        />
      )}
      {part === 'channels' && (
        <ChannelChoice
          value={draft.channels}
          onChange={(keys) => change({ channels: keys })}
          channels={channels}
        />
      )}
      {part === 'quiet_hours' && (
        <QuietHoursFields
          value={draft.quiet_hours}
          onChange={(quietHours) => change({ quiet_hours: quietHours })}
          timeZone={timeZone}
        />
      )}
      {part === 'muted' && <MutedEvents value={draft.muted} onChange={(muted) => change({ muted })} />}
      {(part === 'steps' || part === 'quiet_hours') && isWhole(part, draft) && (
        <StepsPreview
          reachesAnybody={alerts.is_told}
          domain_id={domain.id}
          steps={isSubscribed ? draft.steps : alerts.effective.steps}
          quiet_hours={draft.quiet_hours}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="small" onClick={onDone}>
          {isLocked ? 'Close' : 'Done'}
        </Button>
        {onReset && (
          <Button variant="ghost" size="small" disabled={isStoring} onClick={onReset}>
            Account defaults
          </Button>
        )}
      </div>
    </div>
  );
}

/** Tells whether the input is complete and valid. The fields show their errors themselves. */
function isWhole(part: Part, { channels, quiet_hours: quietHours }: AlertSettingsWire): boolean {
  if (part === 'channels') return channels === null || channels.length > 0;
  return part !== 'quiet_hours' || !haveSameTimes(quietHours);
}

function StepsLocked() {
  const { isSold, open } = useUpgrade();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 text-label">
      <p className="flex items-center gap-1.5 text-fg-2">
        <Lock className="size-3.5 flex-none text-fg-3" strokeWidth={1.6} aria-hidden="true" />
        Custom steps for a domain need Premium.
      </p>
      {isSold && (
        <Button variant="tinted" size="small" onClick={() => open('request')}>
          Upgrade to Premium
        </Button>
      )}
    </div>
  );
}

/** Returns the certificate's lifetime in days, rounded if it is at least one day; null if it is not known. */
function lifetimeDaysOf({ valid_from: from, expiry_date: to }: DomainWire): number | null {
  if (from === null || to === null) return null;
  const days = Math.max(0, Date.parse(to) - Date.parse(from)) / DAY_MS;
  return days < 1 ? days : Math.round(days);
}

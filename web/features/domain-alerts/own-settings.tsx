import { type ReactNode, useState } from 'react';
import type { AlertSettingsWire, DomainAlertsWire } from '../../../contract/alerting.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { useAlertCache, useChannels } from '../../lib/alerts/alert-queries.ts';
import { useSubscription, useUpgrade } from '../../lib/account/plan.ts';
import { Button } from '../../ui/button.tsx';
import { useKeptFocus } from '../../ui/form/use-kept-focus.ts';
import { Disclosure } from '../../domain/disclosure.tsx';
import { PartEditor } from './part-editor.tsx';
import {
  ownLine,
  type Part,
  PART_TITLES,
  partLine,
  PARTS,
  shownSettings,
  withoutPart,
} from './settings-words.ts';
import { changeDomainAlerts, domainAlerts } from '../../../contract/calls/alert.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { pickFields, saveOnTop } from '../../lib/merge-changes.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';

interface OwnSettingsProps {
  domain: DomainWire;
  alerts: DomainAlertsWire;
}

/** Edits the domain's own alert settings. While folded, shows them in one line. */
export function OwnSettings({ domain, alerts }: OwnSettingsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <h4 className="text-meta font-[560] text-fg-2">Alerts for this domain</h4>
      <Disclosure summary={ownLine(alerts.own)} onToggle={setIsOpen} className="-mb-1">
        {isOpen && <Parts domain={domain} alerts={alerts} />}
      </Disclosure>
    </div>
  );
}

function Parts({ domain, alerts }: OwnSettingsProps) {
  const [editing, setEditing] = useState<Part | null>(null);
  const { data: channels } = useChannels();
  const { isSubscribed } = useSubscription();
  const { own, effective } = alerts;
  const shown = shownSettings(alerts);
  const { store, isStoring } = useOwnSettings(domain.id);
  const rests = own.steps !== undefined && !isSubscribed;

  return (
    <ul className="mt-1 grid gap-3 pb-1">
      {PARTS.map((part) => (
        <PartItem key={part}>
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <p className="text-label font-[520]">{PART_TITLES[part]}</p>
              <p className="text-label [overflow-wrap:anywhere] text-fg-2">
                {partLine(part, effective, channels)}
                {part === 'steps' && rests && (
                  <span className="block text-meta text-fg-3">
                    Custom steps need Premium. Until then, the account defaults apply.
                  </span>
                )}
              </p>
            </div>
            {editing !== part && (
              <div className="flex flex-none gap-1">
                <Button
                  variant="outline"
                  size="small"
                  aria-label={`Change: ${PART_TITLES[part]}`}
                  onClick={() => setEditing(part)}
                >
                  Change
                </Button>
              </div>
            )}
          </div>
          {editing === part ? (
            <PartEditor
              part={part}
              domain={domain}
              alerts={alerts}
              channels={channels ?? []}
              isStoring={isStoring}
              onSave={(change, settled) => store({ part, ...change }, settled)}
              onReset={
                own[part] === undefined
                  ? null
                  : () =>
                      store(
                        { part, before: { [part]: shown[part] }, after: {} },
                        { onSuccess: () => setEditing(null) },
                      )
              }
              onDone={() => setEditing(null)}
            />
          ) : (
            own[part] === undefined && <p className="text-meta text-fg-3">Account defaults</p>
          )}
        </PartItem>
      ))}
    </ul>
  );
}

/** Moves focus between the editor and the button that opened it. */
function PartItem({ children }: { children: ReactNode }) {
  const focus = useKeptFocus<HTMLLIElement>();
  return <li {...focus}>{children}</li>;
}

interface PartChange {
  part: Part;
  before: Partial<AlertSettingsWire>;
  /** The settings of the part after the change; empty if it now follows the account's settings. */
  after: Partial<AlertSettingsWire>;
}

/** Saves the domain's own alert settings. Opens the upgrade dialog if they need Premium. */
function useOwnSettings(domainId: string) {
  const { putDomain } = useAlertCache();
  const { isSold, open } = useUpgrade();
  const params = { id: domainId };
  const { mutate, isPending } = useWrite<DomainAlertsWire, PartChange>({
    // Send changes one after the other, so that the server stores the last choice.
    scope: { id: `domain-alerts ${domainId}` },
    mutationFn: ({ part, before, after }) =>
      saveOnTop(
        { lock: `domain-alerts ${domainId}`, before, after },
        {
          read: () => call(domainAlerts, { params }),
          valuesOf: shownSettings,
          // The call replaces all of the domain's own settings.
          write: (merged, { own }) =>
            call(changeDomainAlerts, {
              params,
              body: { ...withoutPart(own, part), ...pickFields(after, merged) },
            }),
          show: (newest) => putDomain(domainId, newest),
        },
      ),
    onSuccess: (alerts) => {
      putDomain(domainId, alerts);
      // The id makes each toast replace the previous one, so that quick changes show a single toast.
      toast.success('Alerts for this domain updated.', { id: 'domain-alerts' });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 402 && isSold) open('request');
      else toast.failed('Could not save the change', error);
    },
  });
  return { store: mutate, isStoring: isPending };
}

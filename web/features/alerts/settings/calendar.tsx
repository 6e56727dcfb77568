import { type RefObject, useEffect, useRef, useState } from 'react';
import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { makeCalendar, removeCalendar } from '../../../../contract/calls/alert.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';

/** Creates the secret calendar link, shows it once, and deletes it. */
export function Calendar({ alerts: { calendar } }: { alerts: AccountAlertsWire }) {
  const reread = useRereadAlerts();
  const [asking, setAsking] = useState<'new' | 'end' | null>(null);
  const make = useWrite({
    mutationFn: () => call(makeCalendar),
    onSuccess: () => {
      setAsking(null);
      void reread();
    },
    onError: (error) => toast.failed('Could not create the link', error),
  });
  const end = useWrite({
    mutationFn: () => call(removeCalendar),
    onSuccess: () => {
      make.reset();
      setAsking(null);
      void reread();
      toast.success('Calendar link deleted.');
    },
    onError: (error) => toast.failed('Could not delete the link', error),
  });
  const isMade = calendar !== null || make.data !== undefined;
  const makeButton = useRef<HTMLButtonElement>(null);
  const address = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (make.data !== undefined) address.current?.focus();
  }, [make.data]);
  return (
    <>
      <div className="grid gap-4">
        {make.data !== undefined && <CalendarAddress url={make.data.url} input={address} />}
        {calendar && make.data === undefined && (
          <p className="text-fg-2">
            You created a link on <Time iso={calendar.created_at} />
            {calendar.read_at === null ? '. No calendar has read it yet.' : '. Last read '}
            {calendar.read_at !== null && (
              <>
                <Time iso={calendar.read_at} withTime />.
              </>
            )}{' '}
            The link is not shown again.
          </p>
        )}
        <div className="flex flex-wrap gap-2 max-md:flex-col">
          <Button
            ref={makeButton}
            variant="outline"
            busy={make.isPending}
            onClick={() => (isMade ? setAsking('new') : make.mutate())}
          >
            {isMade ? 'Create new link' : 'Create calendar link'}
          </Button>
          {isMade && (
            <Button variant="danger-outline" onClick={() => setAsking('end')}>
              Delete link
            </Button>
          )}
        </div>
      </div>
      <ConfirmDialog
        open={asking !== null}
        onOpenChange={() => setAsking(null)}
        title={asking === 'new' ? 'Create a new link?' : 'Delete the calendar link?'}
        description="Calendars that use the current link get no more updates."
        confirmLabel={asking === 'new' ? 'Create new link' : 'Delete link'}
        processing={make.isPending || end.isPending}
        onConfirm={() => (asking === 'new' ? make.mutate() : end.mutate())}
        // The button that deleted the link is gone, so focus moves to the button that creates a new one.
        focusAfterClose={() => address.current ?? makeButton.current}
      />
    </>
  );
}

interface CalendarAddressProps {
  url: string;
  input: RefObject<HTMLInputElement | null>;
}

function CalendarAddress({ url, input }: CalendarAddressProps) {
  return (
    <div>
      <Field
        ref={input}
        label="Calendar link"
        aside="Shown only once"
        mono
        readOnly
        value={url}
        hint="Anyone with this link can see when your certificates expire."
        onFocus={(event) => event.target.select()}
      />
      <div className="mt-2.5">
        <CopyTextButton label="Copy link" text={url} />
      </div>
      <ul className="mt-3 grid list-disc gap-1 pl-5 text-label text-fg-2 marker:text-fg-3">
        <li>Google Calendar: Other calendars, then From URL.</li>
        <li>Apple Calendar: File, then New Calendar Subscription.</li>
        <li>Outlook: Add calendar, then Subscribe from web.</li>
        <li>Thunderbird: New Calendar, then On the Network.</li>
      </ul>
    </div>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { AccountAlertsWire } from '../../../../contract/alerting.ts';
import { makeCalendar, removeCalendar } from '../../../lib/alerts/alert-calls.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Row } from '../../../ui/row.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';

/** The secret address of the calendar: makes it, shows it once, ends it. */
export function CalendarRow({ alerts: { calendar } }: { alerts: AccountAlertsWire }) {
  const reread = useRereadAlerts();
  const [asking, setAsking] = useState<'new' | 'end' | null>(null);
  const make = useWrite({
    mutationFn: makeCalendar,
    onSuccess: () => {
      setAsking(null);
      reread();
    },
    onError: (error) => toast.error(`No address was made: ${messageOf(error)}`),
  });
  const end = useWrite({
    mutationFn: removeCalendar,
    onSuccess: () => {
      make.reset();
      setAsking(null);
      reread();
      toast.success('The calendar has ended.');
    },
    onError: (error) => toast.error(`The calendar did not end: ${messageOf(error)}`),
  });
  const isMade = calendar !== null || make.data !== undefined;
  const makeButton = useRef<HTMLButtonElement>(null);
  const address = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (make.data !== undefined) address.current?.focus();
  }, [make.data]);
  return (
    <Row
      title="Calendar"
      description="Expiries and renewals in your own calendar, by an address that only you know."
    >
      <div className="grid gap-4">
        {make.data !== undefined && <CalendarAddress url={make.data} input={address} />}
        {calendar && make.data === undefined && (
          <p className="text-fg-2">
            There is an address, made on <Time iso={calendar.created_at} />
            {calendar.read_at === null ? ', which no calendar has read yet.' : ', last read on '}
            {calendar.read_at !== null && (
              <>
                <Time iso={calendar.read_at} withTime />.
              </>
            )}{' '}
            It is not shown again.
          </p>
        )}
        <div className="flex flex-wrap gap-2 max-md:flex-col">
          <Button
            ref={makeButton}
            variant="outline"
            busy={make.isPending}
            onClick={() => (isMade ? setAsking('new') : make.mutate())}
          >
            {isMade ? 'Make a new address' : 'Make a calendar address'}
          </Button>
          {isMade && (
            <Button variant="danger-outline" onClick={() => setAsking('end')}>
              End it
            </Button>
          )}
        </div>
      </div>
      <ConfirmDialog
        open={asking !== null}
        onOpenChange={() => setAsking(null)}
        title={asking === 'new' ? 'Make a new address?' : 'End the calendar?'}
        description="Calendars that read the present address get nothing more from it."
        confirmLabel={asking === 'new' ? 'Make a new address' : 'End it'}
        processing={make.isPending || end.isPending}
        onConfirm={() => (asking === 'new' ? make.mutate() : end.mutate())}
        // The button that ended it is gone, and a new address is what comes next.
        focusAfterClose={() => address.current ?? makeButton.current}
      />
    </Row>
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
        label="Calendar address"
        aside="Shown this once"
        mono
        readOnly
        value={url}
        hint="Whoever has it can read when your certificates end."
        onFocus={(event) => event.target.select()}
      />
      <div className="mt-2.5">
        <CopyTextButton label="Copy the address" text={url} />
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
